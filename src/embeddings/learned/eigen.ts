/**
 * Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations (Golub and Van Loan, "Matrix
 * Computations", 4th edition, section 8.5): slow for large matrices, and exact for those of some hundred columns.
 */

const SWEEPS = 30

/** @returns the greatest value first; the vectors are the columns of a matrix whose rows lie one after the other */
export function eigen(
  symmetric: Float64Array,
  size: number,
): { values: number[]; vectors: Float64Array } {
  const a = Float64Array.from(symmetric)
  // Kept by rows, so that each is one run of memory: row i is the vector of value i.
  const v = new Float64Array(size * size)
  for (let i = 0; i < size; i++) v[i * size + i] = 1
  for (let sweep = 0; sweep < SWEEPS && !isDiagonal(a, size); sweep++) {
    for (let p = 0; p < size - 1; p++) {
      for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q)
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (i, j) => a[j * size + j]! - a[i * size + i]! || i - j,
  )
  const vectors = new Float64Array(size * size)
  order.forEach((from, to) => {
    for (let i = 0; i < size; i++) vectors[i * size + to] = v[from * size + i]!
  })
  return { values: order.map((i) => a[i * size + i]!), vectors }
}

function isDiagonal(a: Float64Array, size: number): boolean {
  let [beside, on] = [0, 0]
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const square = a[i * size + j]! ** 2
      if (i === j) on += square
      else beside += square
    }
  }
  return beside <= on * 1e-26
}

/** Turns the plane of two axes so that the cell between them becomes 0. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const [rowP, rowQ] = [p * size, q * size]
  const between = a[rowP + q]!
  if (between === 0) return
  const theta = (a[rowQ + q]! - a[rowP + p]!) / (2 * between)
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const c = 1 / Math.sqrt(t * t + 1)
  const s = t * c
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[rowP + i]!, a[rowQ + i]!]
    a[rowP + i] = c * x - s * y
    a[rowQ + i] = s * x + c * y
  }
  for (let i = 0; i < size; i++) {
    const [x, y] = [a[i * size + p]!, a[i * size + q]!]
    a[i * size + p] = c * x - s * y
    a[i * size + q] = s * x + c * y
    const [g, h] = [v[rowP + i]!, v[rowQ + i]!]
    v[rowP + i] = c * g - s * h
    v[rowQ + i] = s * g + c * h
  }
}
