/** Returns what looks like a path in a text: words with a slash, and file names with an ending. */
export function pathsIn(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_@~.+-]+(?:\/[\p{L}\p{N}_@~.+-]+)*\/?/gu) ?? []
  const paths = words
    .map((word) => word.replace(/^(?:\.\/)+/, '').replace(/[.]+$/, ''))
    .filter(
      (word) => /\w\/\w/.test(word) || /\w\/$/.test(word) || /^[^/]*\w\.[a-z]\w{0,9}$/i.test(word),
    )
  return [...new Set(paths)]
}
