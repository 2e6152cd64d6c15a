import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const NOUN = /^(?:note|memory|memorie|task|session|plan|trial|project)s?$/

/**
 * The nouns that the floor has all the same, file by file. Every event names its project and its
 * session, the vault lays files out by project, and one context block is of plans. Elsewhere the word
 * means something else: the plan of a query, the memory of a machine, the session of a connection.
 */
const INHERENT: Record<string, string[]> = {
  'src/kernel/actor.ts': ['session'],
  'src/kernel/event-kind.ts': ['project'],
  'src/kernel/event-rows.ts': ['project', 'session'],
  'src/kernel/events.ts': ['project', 'session'],
  'src/kernel/feed.ts': ['project', 'session'],
  'src/kernel/moments.ts': ['project', 'session'],
  'src/kernel/trouble.ts': ['memory'],
  'src/postgres/connection.ts': ['session'],
  'src/postgres/database-problem.ts': ['memory'],
  'src/postgres/database.ts': ['memory'],
  'src/postgres/embedded/embedded.ts': ['memory'],
  'src/postgres/embedded/kept-plans.ts': ['plan'],
  'src/postgres/embedded/multiplexer.ts': ['plan', 'session'],
  'src/postgres/embedded/problem.ts': ['memory'],
  'src/postgres/embedded/worker.ts': ['task'],
  'src/postgres/sql-file.ts': ['plan'],
  'src/postgres/steady-clock.ts': ['project'],
  'src/text/context-block.ts': ['plan'],
  'src/vault/reconcile.ts': ['project'],
  'src/vault/vault.ts': ['project'],
  'src/vault/watch.ts': ['project'],
  'src/vault/whereabouts.ts': ['project'],
}

/** The nouns of the domain in a file's code, as its identifiers, tables and words have them. */
function nounsIn(text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm, '')
  const words = [...code.matchAll(/[A-Za-z][A-Za-z0-9]*/g)].flatMap(([name]) =>
    name.split(/(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase()),
  )
  const found = words.filter((word) => NOUN.test(word))
  return [...new Set(found.map((word) => word.replace(/ies$/, 'y').replace(/s$/, '')))].sort()
}

test('the floor knows no noun of the domain', () => {
  const paths = globSync('src/{kernel,text,postgres,vault}/**/*.ts')
  const found = paths
    // Generated from the schema, which is the domain.
    .filter((path) => path !== 'src/postgres/tables.ts')
    .map((path) => [path, nounsIn(readFileSync(path, 'utf8'))] as const)
    .filter(([, nouns]) => nouns.length > 0)
  expect(paths.length).toBeGreaterThan(0)
  expect(Object.fromEntries(found)).toEqual(INHERENT)
})

test('the check sees tables, identifiers and plurals, and no comments', () => {
  expect(nounsIn("sql`update mcp_sessions set lab = ''`")).toEqual(['session'])
  expect(nounsIn('const openTasks = await listMemories(db)')).toEqual(['memory', 'task'])
  expect(nounsIn('// a note\n/** A plan. */\nconst notice = noted(planned)')).toEqual([])
})
