import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { importGraph } from './graph.ts'

/** The rooms from the ground up: a room may use the doors of those before it. */
const ROOMS = [
  'features',
  'projects',
  'passages',
  'embeddings',
  'chat',
  'demand',
  'sessions',
  'documents',
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
  'gardener',
  'momentum',
  'gamification',
]
/** What stands under all rooms, from the ground up: each folder knows those before it. */
const FLOOR = ['kernel', 'text', 'postgres', 'vault']
/** Types that the schema gives: no code, and it imports nothing. */
const GENERATED = 'src/postgres/tables.ts'
/** What rooms' edge files may import of the edges. */
const SOCKETS = ['src/mcp/tool.ts', 'src/mcp/fields.ts']
/** What pages may import of the hooks: what these would answer, without an answer. */
const PREVIEW = 'src/hooks/preview.ts'
/** Files whose work it is to name everything. */
const LISTS = [
  'src/app.ts',
  'src/routes.ts',
  'src/main.ts',
  'src/file-kinds.ts',
  'src/event-kinds.ts',
  'src/followers.ts',
  'src/reactions.ts',
  'src/timers.ts',
  'src/mcp/catalog.ts',
  'src/console/screens.ts',
]
const EDGES = ['mcp', 'http', 'hooks', 'console', 'cli', 'dev', 'config']

const areaOf = (path: string): string => path.split('/')[1]!.replace(/\.ts$/, '')
const isEdgeFile = (path: string): boolean => /\/(tools\/[^/]+|reactions)\.ts$/.test(path)

function verdict(from: string, to: string): string {
  const [here, there] = [areaOf(from), areaOf(to)]
  if (here === there || there === 'config') return 'allowed'
  if (LISTS.includes(from) || ['cli', 'dev'].includes(here)) return 'allowed'
  if (FLOOR.includes(here)) {
    if (!FLOOR.includes(there)) return 'the floor knows no room and no edge'
    if (to === GENERATED || FLOOR.indexOf(there) < FLOOR.indexOf(here)) return 'allowed'
    return `${there} stands above ${here} on the floor`
  }
  if (FLOOR.includes(there)) return 'allowed'
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
  if ([PREVIEW, 'src/event-kinds.ts'].includes(to) && here === 'console') return 'allowed'
  return EDGES.includes(there) ? 'the edges are used through their sockets' : 'nobody imports this'
}

/** Where a file stands; the lists and the program above everything. */
function floorOf(path: string): number {
  const floors = ['config', ...FLOOR, ...ROOMS, 'http', 'mcp', 'hooks', 'console', 'dev', 'cli']
  const floor = floors.indexOf(areaOf(path))
  return floor < 0 ? floors.length : floor
}

/** By what right an import names something above its own floor; undefined when it does not or has none. */
function rightToRise(from: string, to: string): string | undefined {
  if (isEdgeFile(from) && SOCKETS.includes(to)) return 'a socket'
  if (isEdgeFile(from) && to === `src/${areaOf(to)}/${areaOf(to)}.ts`) return 'the door of a room'
  if (areaOf(from) === 'config' && ['kernel', 'text'].includes(areaOf(to))) return 'words'
  if (to === GENERATED) return 'types of the schema'
  if (['cli', 'dev'].includes(areaOf(from))) return 'the program starts the house'
  return areaOf(from) === 'console' && to === 'src/event-kinds.ts' ? 'a list' : undefined
}

const arrows = [...importGraph()].flatMap(([from, targets]) => targets.map((to) => ({ from, to })))

describe('the house', () => {
  test('lets every file import only what its floor allows', () => {
    const broken = arrows
      .map(({ from, to }) => ({ from, to, verdict: verdict(from, to) }))
      .filter((each) => each.verdict !== 'allowed')
    expect(broken).toEqual([])
  })

  test('lets an import rise only to a declared socket, or to a door from a tool or a reaction', () => {
    const rising = arrows.filter(({ from, to }) => floorOf(to) > floorOf(from))
    expect(rising.length).toBeGreaterThan(0)
    expect(rising.filter(({ from, to }) => rightToRise(from, to) === undefined)).toEqual([])
    expect(rightToRise('src/notes/notes.ts', 'src/mcp/tool.ts')).toBeUndefined()
    expect(rightToRise('src/notes/tools/notes_read.ts', 'src/tasks/store.ts')).toBeUndefined()
    expect(rightToRise('src/kernel/kernel.ts', 'src/vault/vault.ts')).toBeUndefined()
  })

  test('would notice a wrong import', () => {
    expect(verdict('src/vault/vault.ts', 'src/notes/notes.ts')).toContain('the floor knows no room')
    expect(verdict('src/kernel/kernel.ts', 'src/vault/vault.ts')).toContain('stands above kernel')
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
