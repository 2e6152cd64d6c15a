import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { UNSCOPED } from './unscoped.ts'

/** Tools that show identity only, which is no secret; and the way in, which needs no scope. */
const UNFENCED = ['project_list', 'session_start']

const OWNERS = 'src/projects/owner-scope.ts'
/** The level that an argument has when it is left out, and how a command shows one. */
const WORDED = ['src/projects/tools/project_create.ts', 'src/cli/operator/project-list.ts']
/** Whoever works for the owner without being asked: the gardener's round. */
const FOR_THE_OWNER = ['src/timers.ts']
/** Whole folders that no tool reaches: `imports.test.ts` lets no room and no tool import them. */
const OWNERS_FOLDERS = /^src\/(cli|console|dev)\//

const withoutComments = (path: string): string =>
  readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|--.*$/gm, '')

const sources = globSync('src/**/*.ts').map((path) => ({ path, text: withoutComments(path) }))

/** Tables that tell nothing of a project but that it exists, which is no secret. */
const IDENTITY = ['families', 'repos']

/** What a fence stands around: the tables with a `project`, and the parts of the log. */
const FENCED = [
  ...readFileSync('src/postgres/tables.ts', 'utf8').matchAll(
    /^export interface (\w+)Table \{\n([\s\S]*?)^\}/gm,
  ),
]
  .filter(([, , columns]) => /^ {2}project: /m.test(columns!))
  .map(([, name]) => name!.replaceAll(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase())
  .filter((table) => !IDENTITY.includes(table))
const NAMES = FENCED.map((table) => (table === 'events' ? 'events(?:_\\w+)?' : table)).join('|')

/** Functions of the database that read or write fenced tables: a file that calls one does so too. */
const FUNCTIONS = globSync('sql/migrations/*.sql').flatMap((path) =>
  [
    ...withoutComments(path).matchAll(
      /create (?:or replace )?function (\w+)\([\s\S]*?\$\$([\s\S]*?)\$\$/g,
    ),
  ].flatMap(([, name, body]) => (new RegExp(`\\b(?:${NAMES})\\b`).test(body!) ? [name!] : [])),
)

const CALLED = [...new Set(FUNCTIONS)].join('|')
const READS = new RegExp(`\\b(?:${NAMES})\\b|\\b(?:${CALLED})\\(`)
/** A query of Kysely or a statement in a template, by itself or through a function; a table that is a variable may be fenced. */
const ASKS = new RegExp(
  `\\b(?:selectFrom|innerJoin|leftJoin|updateTable|deleteFrom)\\(\\s*(?:'(?:${NAMES})\\b|(?!'))` +
    `|\\b(?:from|join|update)\\s+(?:${NAMES})\\b` +
    `|\\b(?:select|from|join|lateral)\\s+(?:${CALLED})\\(`,
)
/** What a real scope goes into. Each of these checks it. */
const SCOPED = /\b(?:readable|writable|searchedOf|projectOf|scopeSql|checkOwner)\b/
/** A `.sql` file that only the owner may ask: past every fence. */
const OWNERS_SQL = String.raw`\bscopeSql<[^(]*\bOwnerScope,?\s*>`
/** What a scope tells a `.sql` file. */
const BOUND = /:(?:searched|everywhere|caller|project)\b/

/** The functions and constants of a file, each with its text. */
const declarationsOf = (text: string): { name: string; text: string }[] =>
  text
    .split(/\n(?=(?:export |async |function |const |class |let )+)/)
    .map((text) => ({ name: /(?:function\*?|const|class|let) (\w+)/.exec(text)?.[1] ?? '', text }))

/** The declarations of a file that ask a fenced table without a scope. */
const unscopedIn = ({ path, text }: { path: string; text: string }): string[] =>
  OWNERS_FOLDERS.test(path)
    ? []
    : declarationsOf(text)
        .filter((one) => ASKS.test(one.text) && !SCOPED.test(one.text))
        .map(({ name }) => `${path}#${name}`)

/** Whether a `.sql` file is asked by a scope, which tells it where to look. */
function isScoped(path: string, text: string): boolean {
  const name = path.slice('sql/'.length, -'.sql'.length)
  const asked = new RegExp(`\\bscopeSql<[^(]*\\(\\s*'${name}'`)
  const owners = new RegExp(`${OWNERS_SQL}\\(\\s*'${name}'`)
  const by = (how: RegExp) => sources.some((source) => how.test(source.text))
  return by(owners) || (by(asked) && BOUND.test(text))
}

/** How a tool uses the scopes of its call; names and moves are resolved with them by their rooms. */
const SCOPES_USED =
  /scopes\.(?:read|write|reach|caller)|namedTarget\(kernel, \w+, scopes,|readAsked\(\s*kernel,\s*scopes,|updateTask\(\s*kernel,\s*scopes,/

describe('scope is a type', () => {
  test('every tool resolves what it may see or write through the scopes of its call', () => {
    const without = globSync('src/*/tools/*.ts').filter((path) => {
      const name = path.split('/').at(-1)!.replace('.ts', '')
      const text = readFileSync(path, 'utf8')
      return !UNFENCED.includes(name) && !SCOPES_USED.test(text)
    })
    expect(without).toEqual([])
  })

  test('only the room of projects makes a Scope, an OwnerScope or a level', () => {
    const makers = sources
      .filter(({ text }) => /as (unknown as )?(Scope|OwnerScope|Level|Place)\b/.test(text))
      .map(({ path }) => path)
    expect(makers.filter((path) => !path.startsWith('src/projects/'))).toEqual([])
    expect(makers).toContain(OWNERS)
  })

  test('only the console and the commands speak for the owner', () => {
    const speakers = sources
      .filter(({ path, text }) => path !== OWNERS && /\bownerScope\(/.test(text))
      .map(({ path }) => path)
    expect(speakers).not.toEqual([])
    expect(speakers.filter((path) => !OWNERS_FOLDERS.test(path))).toEqual(FOR_THE_OWNER)
  })

  test('every statement in a file that reads a fenced table is asked by a scope', () => {
    const files = globSync('sql/*/*.sql').filter((path) => !path.startsWith('sql/migrations/'))
    const unscoped = files.filter((path) => {
      const text = withoutComments(path)
      return READS.test(text) && !isScoped(path, text)
    })
    expect(unscoped.sort()).toEqual(
      Object.values(UNSCOPED)
        .flat()
        .filter((one) => one.endsWith('.sql'))
        .sort(),
    )
  })

  test('every query in code that reads a fenced table takes a scope', () => {
    expect(sources.flatMap(unscopedIn).sort()).toEqual(
      Object.values(UNSCOPED)
        .flat()
        .filter((one) => !one.endsWith('.sql'))
        .sort(),
    )
  })

  test('would notice a query without one', () => {
    const asks = (text: string) => unscopedIn({ path: 'src/notes/store.ts', text })
    expect(asks("const all = (db: Db) => db.selectFrom('notes').selectAll()")).toEqual([
      'src/notes/store.ts#all',
    ])
    expect(asks('const raw = (db: Db) => sql`select * from tasks`.execute(db)')).toHaveLength(1)
    expect(asks('const any = (db: Db) => db.deleteFrom(table)')).toHaveLength(1)
    expect(asks("const log = (db: Db) => db.selectFrom('events_acts')")).toHaveLength(1)
    expect(asks("const one = (db: Db) => db.selectFrom('settings')")).toEqual([])
    expect(
      asks("const seen = (db, scope) => db.selectFrom('notes').where(readable(scope, 'project'))"),
    ).toEqual([])
    expect(isScoped('sql/plans/unheard.sql', 'where project = :project')).toBe(false)
    expect(READS.test('from claim_task(:task)')).toBe(true)
  })

  test('no statement and no code compares levels but the fence itself', () => {
    const compares = /\bisolation\)?\s*(?:<>|!==|===|=)\s*'|\bisolation\b[^\n]*\bin \('/
    const found = [
      ...sources,
      ...globSync('sql/*/*.sql')
        .filter((path) => !path.startsWith('sql/migrations/'))
        .map((path) => ({ path, text: withoutComments(path) })),
    ]
      .filter(({ text }) => compares.test(text))
      .map(({ path }) => path)
    expect(found.filter((path) => !WORDED.includes(path))).toEqual(['src/projects/isolation.ts'])
  })
})
