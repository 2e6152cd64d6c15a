import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The rooms from the ground up: a room may use the doors of those before it. */
const ROOMS = [
  'features',
  'projects',
  'passages',
  'embeddings',
  'demand',
  'sessions',
  'memories',
  'notes',
  'tasks',
  'trials',
  'capture',
  'recall',
  'plans',
  'favorites',
  'briefing',
  'usage',
]
/** What stands under all rooms. */
const FLOOR = ['kernel', 'postgres', 'vault', 'text']
/** What rooms' edge files may import of the edges. */
const SOCKETS = ['src/mcp/tool.ts', 'src/mcp/fields.ts']
/** Files whose work it is to name everything. */
const LISTS = [
  'src/app.ts',
  'src/main.ts',
  'src/file-kinds.ts',
  'src/event-kinds.ts',
  'src/reactions.ts',
  'src/timers.ts',
  'src/mcp/catalog.ts',
  'src/console/console.ts',
]
const EDGES = ['mcp', 'http', 'hooks', 'console', 'cli', 'dev', 'config']

const areaOf = (path: string): string => path.split('/')[1]!.replace(/\.ts$/, '')
const isEdgeFile = (path: string): boolean => /\/(tools\/[^/]+|reactions)\.ts$/.test(path)

function verdict(from: string, to: string): string {
  const [here, there] = [areaOf(from), areaOf(to)]
  if (here === there || there === 'config') return 'allowed'
  if (LISTS.includes(from) || ['cli', 'dev'].includes(here)) return 'allowed'
  if (FLOOR.includes(there)) return 'allowed'
  if (FLOOR.includes(here)) return 'the floor knows no room and no edge'
  if (ROOMS.includes(there)) {
    if (to !== `src/${there}/${there}.ts`) {
      return `a room is entered by its door, src/${there}/${there}.ts`
    }
    if (isEdgeFile(from) || !ROOMS.includes(here)) return 'allowed'
    return ROOMS.indexOf(there) < ROOMS.indexOf(here)
      ? 'allowed'
      : `${there} stands above ${here}: use a reaction`
  }
  if (SOCKETS.includes(to) && isEdgeFile(from)) return 'allowed'
  if (there === 'http' && ['mcp', 'hooks', 'console'].includes(here)) return 'allowed'
  if (to === 'src/event-kinds.ts' && here === 'console') return 'allowed'
  return EDGES.includes(there) ? 'the edges are used through their sockets' : 'nobody imports this'
}

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?'(\.{1,2}\/[^']+)'/g)
  return [...found].map(([, target]) => normalize(join(dirname(path), target!)))
}

describe('the house', () => {
  test('lets every file import only what its floor allows', () => {
    const broken = globSync('src/**/*.ts').flatMap((from) =>
      importsOf(from)
        .filter((to) => to.startsWith('src/'))
        .map((to) => ({ from, to, verdict: verdict(from, to) }))
        .filter((each) => each.verdict !== 'allowed'),
    )
    expect(broken).toEqual([])
  })

  test('would notice a wrong import', () => {
    expect(verdict('src/vault/vault.ts', 'src/notes/notes.ts')).toContain('the floor knows no room')
    expect(verdict('src/projects/scope.ts', 'src/notes/notes.ts')).toContain('use a reaction')
    expect(verdict('src/notes/read.ts', 'src/projects/store.ts')).toContain('entered by its door')
    expect(verdict('src/notes/read.ts', 'src/mcp/fields.ts')).toContain('through their sockets')
  })

  test('knows every room that stands in src', () => {
    const areas = new Set(globSync('src/*/').map((path) => areaOf(path)))
    for (const area of [...ROOMS, ...EDGES, ...FLOOR]) areas.delete(area)
    expect([...areas]).toEqual([])
  })

  test('names a tool file exactly as the tool is named on the wire', async () => {
    for (const path of globSync('src/*/tools/*.ts')) {
      const name = path.split('/').at(-1)!.slice(0, -'.ts'.length)
      const exports = (await import(/* @vite-ignore */ `../../${path}`)) as Record<
        string,
        { name?: string }
      >
      expect(Object.keys(exports)).toEqual([name])
      expect(exports[name]?.name).toBe(name)
    }
  })
})
