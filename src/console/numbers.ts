/** `940`, `1.2k`, `3M`: a number where there is little room. */
export function compact(n: number): string {
  if (n < 1_000) return String(n)
  const [size, letter] = n < 999_950 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${(n / size).toFixed(1).replace(/\.0$/, '')}${letter}`
}
