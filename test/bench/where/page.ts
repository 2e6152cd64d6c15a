/** The page of figures: for each call, where its time goes. */
import { arch, cpus } from 'node:os'
import { format } from 'prettier'
import type { FloorTimes } from '../calls.ts'
import type { Kind } from '../calls/store.ts'
import type { Where } from '../where.ts'
import type { Statement } from './parts.ts'

const NAMES: Record<Kind, string> = {
  embedded: 'the embedded database',
  server: 'a PostgreSQL server',
}
/** What is listed of statements and of rooms: the first so many, and none below so many milliseconds. */
const [MOST_STATEMENTS, MOST_ROOMS, LEAST_MS] = [10, 10, 0.05]
/** Of a statement's text. */
const TEXT_LENGTH = 90

interface Given {
  found: readonly Where[]
  floors: ReadonlyMap<Kind, FloorTimes>
  items: number
  /** Of each kind. */
  calls: number
}

/** Returns markdown as the linter wants it. */
export async function figuresPage({ found, floors, items, calls }: Given): Promise<string> {
  const kinds = [...floors.keys()]
  const page = `# Where the time of a call goes

\`npm run bench -- where\` writes this page. One agent calls ${calls} times, one call after the other, on a store of
${items.toLocaleString('en')} memories, with nobody else at work: ${cpus().length} processors (${arch()}), Node ${process.versions.node}.
All times are milliseconds per call.

${kinds.map((kind) => floorOf(kind, floors.get(kind)!)).join('\n')}

${kinds.map((kind) => partsTable(kind, ofKind(found, kind))).join('\n')}
${ceilingPart(found)}

What a call leaves to the background (that it was called, what was shown, what is read by meaning) counts as processor
time and as statements behind the answer, not as waiting.

${found.map(callPart).join('\n')}`
  return format(page, { parser: 'markdown', printWidth: 120, proseWrap: 'preserve' })
}

const ofKind = (found: readonly Where[], kind: Kind) => found.filter((one) => one.kind === kind)

const floorOf = (kind: Kind, { call, file, commit }: FloorTimes): string =>
  `- Nothing can be faster on ${NAMES[kind]} than a call that does nothing through the protocol's own
  library, **M = ${ms(call)}**; what writes needs a durable file, **F = ${ms(file)}**, and a commit, **C = ${ms(commit)}**.`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

function partsTable(kind: Kind, found: readonly Where[]): string {
  const rows: [string, (one: Where) => number][] = [
    ['**the client waits, p50**', ({ parts }) => parts.median],
    ['mean', ({ parts }) => parts.mean],
    ['its own share, and the way', ({ parts }) => parts.client],
    ['a statement is under way', ({ parts }) => parts.waits],
    ['a file is made durable', ({ parts }) => parts.durable],
    ['the service computes', ({ parts }) => parts.computes],
    ['processor: main thread', ({ spent }) => spent.main],
    [
      `processor: ${kind === 'embedded' ? 'thread of the database' : 'backends'}`,
      ({ spent }) => spent.engine,
    ],
    ['processor: compiler, collector, files', ({ spent }) => spent.rest],
  ]
  return `## On ${NAMES[kind]}

${table(
  ['', ...found.map(({ tool }) => `\`${tool}\``)],
  rows.map(([name, of]) => [name, ...found.map((one) => ms(of(one)))]),
)}
`
}

/** What the embedded database cannot do, by what its thread and a server's backends need for the same calls. */
function ceilingPart(found: readonly Where[]): string {
  const pairs = ofKind(found, 'embedded').flatMap((embedded) => {
    const server = found.find((one) => one.kind === 'server' && one.tool === embedded.tool)
    return server ? [{ tool: embedded.tool, own: embedded.spent.engine, server }] : []
  })
  return `## What cannot be had on the embedded database

Its engine is PostgreSQL in WebAssembly, which runs in one thread: calls of one kind that come one after the other cannot
be answered more often than that thread can do the work of one. Writes that wait for each other are carried out together
and take less of it each. A server does the same statements in as many processes as there are connections, and in machine
code.

${table(
  ['', ...pairs.map(({ tool }) => `\`${tool}\``)],
  [
    ['work of the thread', ...pairs.map(({ own }) => ms(own))],
    [
      '**one after the other, a second**',
      ...pairs.map(({ own }) => Math.floor(1_000 / own).toString()),
    ],
    ["work of a server's processes", ...pairs.map(({ server }) => ms(server.spent.engine))],
    ['its share of the above', ...pairs.map(({ own, server }) => ms(server.spent.engine / own))],
  ],
)}

So another way to run the same engine, as machine code in a process of its own, would bring what the last line says, and
one thread would no longer be the wall. That way is the server: \`LOAM_DATABASE_URL\`.
`
}

function callPart({ kind, tool, parts }: Where): string {
  const shown = parts.statements.filter((one) => one.ms >= LEAST_MS).slice(0, MOST_STATEMENTS)
  const others = parts.statements.slice(shown.length)
  const rest = others.reduce((sum, one) => sum + one.ms, 0)
  const restAtWork = others.reduce((sum, one) => sum + one.engine, 0)
  const rooms = parts.main.filter(([, time]) => time >= LEAST_MS).slice(0, MOST_ROOMS)
  const isEmbedded = kind === 'embedded'
  const engine = isEmbedded
    ? `Its thread was at work for ${ms(parts.engine)} of them; the rest is the way there and back, and waiting for another.`
    : 'They are counted from here: with the way to the server and back.'
  return `### \`${tool}\` on ${NAMES[kind]}

Statements take ${ms(parts.statements.reduce((sum, one) => sum + one.ms, 0))}. ${engine}

${table(
  ['statement', 'ms', ...(isEmbedded ? ['at work'] : []), 'times', 'behind the answer'],
  [
    ...shown.map((one) => [
      nameOf(one),
      ms(one.ms),
      ...(isEmbedded ? [ms(one.engine)] : []),
      ms(one.times),
      one.behind > 0 ? ms(one.behind) : '',
    ]),
    [`${others.length} others`, ms(rest), ...(isEmbedded ? [ms(restAtWork)] : []), '', ''],
  ],
)}

The main thread computes: ${rooms.map(([room, time]) => `${room} ${ms(time)}`).join(', ')}.
`
}

const ms = (time: number): string => time.toFixed(2)

/** Its beginning. A bar would end the cell. */
function nameOf({ text }: Statement): string {
  const head = text.replaceAll('|', '¦').replaceAll('`', "'").slice(0, TEXT_LENGTH)
  return `\`${head.trim()}${text.length > TEXT_LENGTH ? ' …' : ''}\``
}
