/** Bytes of the items of one answer: as much as a call may bring. */
const MOST_BYTES = 1_000_000

/** Returns the items that one answer carries: the first always, then as many as fit. */
export function fitting<Item>(items: Item[]): Item[] {
  let bytes = 0
  const over = items.findIndex((item, i) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return i > 0 && bytes > MOST_BYTES
  })
  return over === -1 ? items : items.slice(0, over)
}
