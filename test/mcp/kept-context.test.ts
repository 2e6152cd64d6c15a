import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeptAnswers } from '../../src/kernel/kept-answers.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { callContext, readConnection, readStateless } from '../../src/mcp/call-context.ts'
import { bindConnection, closeConnection } from '../../src/mcp/connections.ts'
import { NOTHING_SHOWN, type Shown } from '../../src/mcp/shown.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'

let edge: Edge
let db: Kernel['db']
/** The same house without a memory. */
let forgetful: Kernel
let wires: string[]

beforeAll(async () => {
  edge = await openEdge()
  db = edge.kernel.db
  forgetful = { ...edge.kernel, kept: new KeptAnswers(() => null) }
  wires = [(await edge.wire()).id, (await edge.wire()).id]
})
afterAll(() => edge.close())

const CLIENT = 'claude-code'
const PROCESSES = ['0'.repeat(32), '1'.repeat(32)]
const SESSIONS = ['S0', 'S1', 'S2']
const PROJECTS = ['reef', 'crypt', 'tide']
const oneOf = (...values: readonly string[]) => fc.constantFrom(...values)

/** The columns of a session of which a call learns, and whatever decides which session that is. */
const COLUMNS = {
  name: oneOf('finch', 'wren', 'heron'),
  status: oneOf('active', 'expired', 'completed'),
  project: oneOf('', ...PROJECTS),
  model: oneOf('', 'm1', 'm2'),
  lab: oneOf('', 'kiln'),
  cwd: oneOf('', '/reef'),
  external_client: oneOf('', CLIENT, 'codex'),
  client_session_id: oneOf('', 'c0', 'c1'),
  process: oneOf('', ...PROCESSES),
  ambient: oneOf('true', 'false'),
  idle_minutes: oneOf('1', '90'),
  announced_at: oneOf('2026-01-01', '2026-01-02', '2026-01-03'),
}

const changesOfSession = Object.entries(COLUMNS).map(([column, values]) =>
  fc.tuple(oneOf(...SESSIONS), values).map(([id, value]) => {
    const worth = column === 'name' ? `${value} ${id}` : value
    return sql`update sessions set ${sql.ref(column)} = ${sql.lit(worth)} where id = ${id}`
  }),
)

/** Whatever moves the answer to "for whom is this call?", as one statement each. */
const change = fc.oneof(
  ...changesOfSession,
  oneOf(...SESSIONS).map((id) => sql`delete from sessions where id = ${id}`),
  oneOf(...SESSIONS).map(
    (id) => sql`insert into sessions (id, name, project, external_client, ambient)
    values (${id}, ${id}, 'reef', ${CLIENT}, true) on conflict do nothing`,
  ),
  // A sign of life, which wakes one that rested.
  oneOf(...SESSIONS).map((id) => sql`update sessions set updated_at = loam_now() where id = ${id}`),
  fc.tuple(oneOf(...PROJECTS), oneOf('open', 'confidential', 'sealed')).map(
    ([slug, level]) => sql`update projects set isolation = ${level} where slug = ${slug}
      and parent_slug is null`,
  ),
  oneOf('null', "'reef'").map(
    (parent) => sql`update projects set parent_slug = ${sql.raw(parent)}
      where slug = 'tide' and isolation = 'open'`,
  ),
  oneOf(...PROJECTS).map(
    (slug) => sql`delete from projects where slug = ${slug}
    and not exists (select from projects child where child.parent_slug = ${slug})`,
  ),
  oneOf(...PROJECTS).map(
    (slug) => sql`insert into projects (id, slug, name)
    values (${slug}, ${slug}, ${slug}) on conflict do nothing`,
  ),
  fc.tuple(fc.nat(1), oneOf('null', "'S0'", "'S1'")).map(
    ([nth, session]) => sql`update mcp_sessions set session_id =
      (select id from sessions where id = ${sql.raw(session)}) where id = ${wires[nth]}`,
  ),
  fc
    .tuple(fc.nat(1), oneOf('', 'kiln'))
    .map(([nth, lab]) => sql`update mcp_sessions set lab = ${lab} where id = ${wires[nth]}`),
  fc
    .tuple(fc.nat(1), oneOf('cursor', 'codex'))
    .map(
      ([nth, client]) => sql`update mcp_sessions set client = ${client} where id = ${wires[nth]}`,
    ),
  fc.boolean().map(
    (on) => sql`insert into settings (key, value)
    values ('features_config', ${sql.lit(JSON.stringify({ research: on }))}::jsonb)
    on conflict (key) do update set value = excluded.value`,
  ),
  fc.constant(sql`delete from settings where key = 'features_config'`),
  oneOf('1 minute', '-2 hours', '7 hours').map(
    (by) => sql`update clock set shift = shift + ${sql.lit(by)}::interval`,
  ),
  oneOf('null', "'2026-01-01'").map((at) => sql`update store set files_read_at = ${sql.raw(at)}`),
)

/** All that a call can show of its caller, with each project that it may name. */
const SHOWN: Shown[] = [
  NOTHING_SHOWN,
  { ...NOTHING_SHOWN, process: PROCESSES[0]! },
  { ...NOTHING_SHOWN, client: CLIENT, session: 'c0', began: 'c1' },
]

async function everyone(kernel: Kernel): Promise<object[]> {
  const read: object[] = []
  for (const shown of SHOWN) {
    for (const asked of [undefined, 'crypt']) {
      const said = { protocol: '2026-07-28', client: CLIENT }
      read.push((await readStateless(kernel, said, shown, asked)) ?? {})
      for (const wire of wires) {
        const known = await readConnection(kernel, wire, NOTHING_SHOWN, asked)
        read.push((await readConnection(kernel, wire, shown, asked)) ?? {})
        // What a message shows comes after what its headers do.
        const seen = { ahead: NOTHING_SHOWN, shown }
        if (known) read.push(await callContext(kernel, wire, known, seen))
      }
    }
  }
  return read.map((each) => ({ ...each, began: 0 }))
}

/** One connection is bound to a session, and another session was announced by a client's hook. */
async function beginAnew(): Promise<void> {
  await sql`delete from sessions`.execute(db)
  await sql`insert into projects (id, slug, name) select p, p, p
    from unnest(${PROJECTS}::text[]) p on conflict do nothing`.execute(db)
  await sql`insert into sessions (id, name, project) values ('S0', 'S0', 'reef')`.execute(db)
  await sql`insert into sessions (id, name, project, external_client, client_session_id, process, ambient)
    values ('S1', 'S1', 'crypt', ${CLIENT}, 'c0', ${PROCESSES[0]}, true)`.execute(db)
  await bindConnection(db, wires[0]!, 'S0')
}

test('a caller is known as the database knows it, whatever has changed since its last call', async () => {
  await sql`insert into store (id) values ('kept') on conflict do nothing`.execute(db)
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 8, maxLength: 12 }), async (history) => {
      await beginAnew()
      for (const step of history) {
        await everyone(edge.kernel)
        await step.execute(db)
        expect(await everyone(edge.kernel)).toEqual(await everyone(forgetful))
      }
    }),
    { numRuns: 25 },
  )
}, 60_000)

test('a change that was acknowledged holds for every call that comes later, also of those under way', async () => {
  await sql`update clock set shift = '0'`.execute(db)
  await sql`insert into sessions (id, name, model) values ('busy', 'busy', '0')`.execute(db)
  const wire = (await edge.wire()).id
  await bindConnection(db, wire, 'busy')
  let acknowledged = 0
  let isOver = false
  const write = async (): Promise<void> => {
    for (let n = 1; n <= 100; n++) {
      await sql`update sessions set model = ${String(n)} where id = 'busy'`.execute(db)
      acknowledged = n
      await new Promise((resolve) => setImmediate(resolve))
    }
    isOver = true
  }
  const ask = async (): Promise<void> => {
    while (!isOver) {
      const before = acknowledged
      const read = await readConnection(edge.kernel, wire, NOTHING_SHOWN, undefined)
      expect(Number(read!.bound!.model)).toBeGreaterThanOrEqual(before)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all([write(), ...Array.from({ length: 4 }, ask)])
  const last = await readConnection(edge.kernel, wire, NOTHING_SHOWN, undefined)
  expect(last!.bound!.model).toBe('100')
})

test('nothing is asked again while nothing has changed, where one process has the database to itself', async () => {
  const wire = (await edge.wire()).id
  const ask = (kernel: Kernel) => readConnection(kernel, wire, NOTHING_SHOWN, undefined)
  const first = await ask(edge.kernel)
  const unasked = { ...edge.kernel, db: undefined as never }
  if (edge.database.kind === 'server') {
    await expect(ask(unasked)).rejects.toThrow()
  } else {
    expect(await ask(unasked)).toEqual({ ...first, began: expect.any(Number) })
  }
})

test('a connection that was closed is gone for the next call', async () => {
  const wire = (await edge.wire()).id
  expect(await readConnection(edge.kernel, wire, NOTHING_SHOWN, undefined)).not.toBeNull()
  await closeConnection(db, wire)
  expect(await readConnection(edge.kernel, wire, NOTHING_SHOWN, undefined)).toBeNull()
})
