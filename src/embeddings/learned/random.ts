/** Numbers that depend on a seed alone, the same on every machine. */

/** Numbers from 0 up to 1: Marsaglia's xorshift of 32 bits (2003). */
export function drawer(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Numbers of a normal distribution around 0 with a deviation of 1, after Box and Muller. */
export function normals(seed: number): () => number {
  const draw = drawer(seed)
  return () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
}
