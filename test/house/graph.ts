import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Which files of src each file of src imports, for values or for types. */
export function importGraph(): Map<string, string[]> {
  return new Map(globSync('src/**/*.ts').map((path) => [path, importsOf(path)]))
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...found]
    .map(([, target]) => normalize(join(dirname(path), target!)))
    .filter((target) => target.startsWith('src/'))
}

/** The groups of files that can all reach one another, each sorted. */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []

  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.get(file)!)
    path.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) visit(next)
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = path.splice(path.indexOf(file)).sort()
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle)
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}
