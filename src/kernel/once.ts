/** Does the work when it is first asked for, and gives all who ask the same outcome. */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined
  return () => (asked ??= work())
}
