const REFUSAL_KINDS = [
  'invalid',
  'ambiguous',
  'not_found',
  'conflict',
  'forbidden',
  'disabled',
  'unavailable',
] as const
export type RefusalKind = (typeof REFUSAL_KINDS)[number]

/**
 * An expected "no", in words the caller may read and act on.
 *
 * Rooms throw a Refusal when the request is at fault, or when what it needs is away. Anything else
 * that is thrown is our bug: the edges log it and answer with a generic message.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export const invalid = (message: string): Refusal => new Refusal('invalid', message)
export const ambiguous = (message: string): Refusal => new Refusal('ambiguous', message)
export const notFound = (what: string): Refusal => new Refusal('not_found', `no ${what}`)
export const conflict = (message: string): Refusal => new Refusal('conflict', message)
export const forbidden = (message: string): Refusal => new Refusal('forbidden', message)
export const unavailable = (message: string, cause?: unknown): Refusal =>
  new Refusal('unavailable', message, { cause })
