/** The order of a plan's steps, and the lines beside them that lead from a step to those that wait for it. */

type Needs = (id: string) => readonly string[]

/** Each step after all that it needs, else in the order of their creation. Steps in a circle come last. */
export function orderOf(ids: readonly string[], needs: Needs): string[] {
  const placed = new Set<string>()
  const order: string[] = []
  let left = [...ids]
  while (left.length > 0) {
    const rest: string[] = []
    for (const id of left) {
      if (!needs(id).every((each) => placed.has(each))) rest.push(id)
      else {
        placed.add(id)
        order.push(id)
      }
    }
    if (rest.length === left.length) return [...order, ...rest]
    left = rest
  }
  return order
}

/** What is drawn beside one row. Lanes count from 0, the one next to the steps. */
export interface Gutter {
  /** Of the whole drawing; the same for all rows. */
  lanes: number
  /** Lanes whose line goes through the row. */
  through: number[]
  /** The lane whose line begins at this step. */
  begins: number | null
  /** Lanes whose line leads to this step; those that end here are among `ends`, others go on. */
  joins: number[]
  ends: number[]
}

/** Lines beyond this many beside each other are not drawn; every row names what it needs in words as well. */
const MOST_LANES = 6

/** One row for each of the steps, which must stand in the order of `orderOf`. */
export function gutterOf(order: readonly string[], needs: Needs): Gutter[] {
  const places = new Map(order.map((id, row) => [id, row]))
  const needed = order.map((id, row) =>
    needs(id)
      .map((each) => places.get(each) ?? row)
      .filter((from) => from < row),
  )
  const last = new Map<number, number>()
  needed.forEach((froms, row) => froms.forEach((from) => last.set(from, row)))
  // Of each lane the row where its line ends; a line takes the first lane that is free at its row.
  const busy: number[] = []
  const laneOf = new Map<number, number>()
  for (const [from, end] of [...last].toSorted(([a], [b]) => a - b)) {
    const free = busy.findIndex((until) => until < from)
    const lane = free === -1 ? busy.length : free
    if (lane >= MOST_LANES) continue
    busy[lane] = end
    laneOf.set(from, lane)
  }
  return order.map((_, row) => {
    const begins = laneOf.get(row) ?? null
    const joins = needed[row]!.flatMap((from) => laneOf.get(from) ?? [])
    const lines = [...laneOf].filter(([from]) => from < row)
    return {
      lanes: busy.length,
      through: lines.filter(([from]) => last.get(from)! > row).map(([, lane]) => lane),
      begins,
      joins,
      ends: lines.filter(([from]) => last.get(from) === row).map(([, lane]) => lane),
    }
  })
}
