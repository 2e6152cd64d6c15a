import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { sql } from 'kysely'
import type { Db } from '../../src/kernel/kernel.ts'
import { lexemesOf } from '../../src/passages/passages.ts'
import { median, quantile, rounded } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'

const CALLS = 200
/** Milliseconds within which 99 of 100 calls are answered, with 100,000 memories. */
const LIMIT = 150

/**
 * Each hook over HTTP on a store of many memories, in calls of one that has nothing to do. Half of the
 * prompts are about a memory. The project inherits from another one, and the ledger of what agents were
 * told holds hundreds of sessions.
 */
export async function hookTimes({ rows: sizes, log }: BenchOptions): Promise<Report> {
  const report: Report = { rows: [], missed: [] }
  for (const size of sizes) {
    await using service = await openService()
    await service.app.caughtUp
    const { database } = service.app
    await database.unhurried(() => fill(database.db, size))
    log(`${size} memories written`)
    for (const [name, times] of await measure(service, size)) {
      const [p50, p99] = [median(times.hook), quantile(times.hook, 0.99)]
      const row = {
        memories: size,
        hook: name,
        'p50, ms': rounded(p50),
        'p99, ms': rounded(p99),
        'p50, empty hooks': rounded(p50 / median(times.empty)),
        'p99 / p50': rounded(p99 / p50),
      }
      report.rows.push(row)
      log(JSON.stringify(row))
      // Milliseconds are of a machine that has nothing else to do.
      const calm = loadavg()[0]! <= availableParallelism()
      if (calm && size === sizes.at(-1) && p99 > LIMIT) report.missed.push(`${name}: p99 ${p99} ms`)
    }
  }
  return report
}

interface Times {
  hook: number[]
  empty: number[]
}

async function measure(
  { url, key }: { url: string; key: string },
  size: number,
): Promise<Map<string, Times>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (name: string, payload: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const outgoing = request(
        new URL(`/api/hooks/${name}`, url),
        { method: 'POST', agent, headers },
        (incoming) => {
          let text = ''
          incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
          incoming.on('end', () => {
            const failed = incoming.statusCode !== 200 || text.includes('systemMessage')
            if (failed) reject(new Error(`${name}: ${incoming.statusCode} ${text.slice(0, 300)}`))
            else resolve(text)
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(JSON.stringify(payload))
    })
  const timed = async (name: string, payload: object): Promise<number> => {
    const began = performance.now()
    await call(name, payload)
    return performance.now() - began
  }

  const place = { cwd: '/src/p7', repo_root: '/src/p7', repo: 'https://git.example/bench/p7.git' }
  const session_id = randomUUID()
  const base = { ...place, session_id }
  const ids = Array.from({ length: CALLS }, () => randomUUID())
  const payloads: [string, (n: number) => object][] = [
    [
      'session-start',
      (n) => ({ ...base, session_id: n === 0 ? session_id : ids[n], source: 'startup' }),
    ],
    ['user-prompt-submit', (n) => ({ ...base, prompt: promptOf(n, size) })],
    [
      'subagent-start',
      (n) => ({ ...base, agent_id: `a${n}`, agent_type: 'b', spawn_prompt: promptOf(n, size) }),
    ],
    ['stop', () => base],
    ['session-end', (n) => ({ ...base, session_id: ids[n] })],
  ]
  const times = new Map<string, Times>()
  for (const [name, payload] of payloads) {
    const taken: Times = { hook: [], empty: [] }
    for (let n = 0; n < CALLS; n++) {
      taken.hook.push(await timed(name, payload(n)))
      taken.empty.push(await timed('stop', {}))
    }
    times.set(name, taken)
  }
  agent.destroy()
  return times
}

const PROJECTS = 90
/** With a ledger of 200 memories each. */
const SESSIONS = 500
const VOCABULARY = 50_000
const BATCH = 2_000
const KINDS = ['constraint', 'convention', 'stage', 'runbook', 'gotcha', 'decision', 'reference']

/** A tenth of all is global, and one in fifty a constraint; words are as rare as words are. */
async function fill(db: Db, size: number): Promise<void> {
  await sql`
    insert into projects (id, slug, name)
    select 'P' || i, 'p' || i, 'p' || i from generate_series(1, ${PROJECTS}::int) i`.execute(db)
  await sql`insert into repos (place, remote, project) values ('/src/p7', false, 'p7')`.execute(db)
  for (let from = 0; from < size; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, size - from) }, (_, i) => memory(from + i))
    await sql`
      insert into memories (id, project, name, kind, description, body, path, content_hash, heading,
        valid_from, created_at, updated_at)
      select m.id, m.project, m.name, m.kind, m.description, '', 'memory/' || m.id, '', m.heading::tsvector,
        loam_now(), loam_now(), loam_now() - m.nth * interval '1 minute'
      from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as m (
        id text, nth int, project text, name text, kind text, description text, heading text)`.execute(
      db,
    )
  }
  await sql`
    insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
    select 'memory', m.id, 0, coalesce(p.number, 0), true, 0, 0, length(m.heading), 1, '', m.heading
    from memories m left join projects p on p.slug = m.project`.execute(db)
  await sql`
    insert into lexeme_stats
    select lexeme, project, count(*) from passages, unnest(words) group by lexeme, project`.execute(
    db,
  )
  await sql`
    insert into lexeme_totals select lexeme, sum(passages) from lexeme_stats group by lexeme`.execute(
    db,
  )
  await sql`
    insert into passage_totals select project, count(*), sum(length) from passages group by project`.execute(
    db,
  )
  await sql`update projects set parent_slug = 'p8' where slug = 'p7'`.execute(db)
  await sql`
    insert into told (session, agent, item, version)
    select md5(s::text)::uuid, '', m.id, told_version(m)
    from generate_series(1, ${SESSIONS}::int) s,
      lateral (select * from memories order by id limit 200 offset s % 100) m`.execute(db)
  for (const table of [
    'memories',
    'passages',
    'lexeme_stats',
    'lexeme_totals',
    'passage_totals',
    'projects',
    'told',
  ]) {
    await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  }
}

function memory(nth: number) {
  const name = `${word(nth * 31)}-${word(nth * 31 + 1)}-${nth}`
  const description = Array.from({ length: 18 }, (_, i) => word(nth * 31 + 2 + i)).join(' ')
  const rare = nth % 50
  return {
    id: `M${nth}`,
    nth,
    project: nth % 10 === 0 ? '' : `p${(Math.floor(nth / 10) % PROJECTS) + 1}`,
    name,
    kind: rare === 0 ? 'constraint' : KINDS[1 + (rare % (KINDS.length - 1))]!,
    description,
    heading: lexemesOf(`${name}\n\n${description}`),
  }
}

/** Every other prompt holds words of one memory of the project or of the global scope. */
function promptOf(n: number, size: number): string {
  const about = n % 2 === 0 ? 10 * (n % Math.max(1, Math.floor(size / 10))) : size + n
  const own = Array.from({ length: 8 }, (_, i) => word(about * 31 + 2 + i))
  const other = Array.from({ length: 12 }, (_, i) => word((size + n) * 97 + i))
  return [...own, ...other].join(' ')
}

const SYLLABLES = ['ba', 'ko', 'ru', 'mi', 'ta', 'no', 'vu', 'li', 'po', 'ga']

/** The nth word of an endless text in which the k-th word of the vocabulary is k times as rare as the first. */
function word(nth: number): string {
  let hash = Math.imul(nth + 1, 2_654_435_761) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0
  const rank = Math.floor(VOCABULARY ** (((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32))
  return [...String(rank + 100)].map((digit) => SYLLABLES[Number(digit)]).join('')
}
