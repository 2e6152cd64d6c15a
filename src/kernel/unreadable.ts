/** Why a file is listed as a problem instead of being indexed. Words for the owner. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}
