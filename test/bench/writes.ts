import { sql } from 'kysely'
import { writeWhole } from './calls/floor.ts'
import { median, rounded, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'

const ROUNDS = 5
const WRITES = 60
/** An acknowledged write, in a fsynced file (F) and a commit (C). */
const LIMIT = 4

/** What an agent writes, with these words in it; each item is a new one. */
const TOOLS: Record<string, (name: string, body: string) => Record<string, unknown>> = {
  notes_create: (title, body) => ({ title, body, project: 'atlas' }),
  memory_write: (name, body) => ({
    name,
    kind: 'reference',
    description: `What was found as ${name}`,
    body,
    project: 'atlas',
  }),
}

/** Writes as an agent calls them, in what their durability costs at least. */
export async function writeTimes({ log }: BenchOptions): Promise<Report> {
  await using service = await openService()
  const { database, kernel } = service.app
  const { db } = database
  await sql`create table one_row (number bigint)`.execute(db)
  const agent = await service.connect()
  const folder = kernel.config.data_dir
  const body = 'A finding of some length, as agents write them. '.repeat(40)
  const report: Report = { rows: [], missed: [] }
  for (const [tool, wording] of Object.entries(TOOLS)) {
    const rounds: { file: number; commit: number; write: number; ratio: number }[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const times = { file: [] as number[], commit: [] as number[], write: [] as number[] }
      for (let n = 0; n < WRITES; n++) {
        times.file.push(await timed(() => writeWhole(folder, body)))
        times.commit.push(
          await timed(() => sql`insert into one_row values (${n}::bigint)`.execute(db)),
        )
        const asked = wording(`item-${round}-${n}`, `${n} ${body}`)
        times.write.push(await timed(() => agent.call(tool, asked)))
      }
      const [file, commit, write] = [median(times.file), median(times.commit), median(times.write)]
      // The first round warms everything up.
      if (round > 0) rounds.push({ file, commit, write, ratio: write / (file + commit) })
    }
    const of = (name: 'file' | 'commit' | 'write' | 'ratio'): number =>
      rounded(median(rounds.map((each) => each[name])))
    const row = {
      what: `${tool} acknowledged`,
      database: database.kind,
      'F ms': of('file'),
      'C ms': of('commit'),
      'write ms': of('write'),
      'in F + C': of('ratio'),
    }
    report.rows.push(row)
    log(JSON.stringify(row))
    if (row['in F + C'] > LIMIT) {
      report.missed.push(`${tool}: ${row['in F + C']} (F + C), limit ${LIMIT}`)
    }
  }
  return report
}
