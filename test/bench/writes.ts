import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { median, rounded, timed } from './measure.ts'
import type { BenchOptions, Report } from './run.ts'
import { openService } from './service.ts'

const ROUNDS = 5
const WRITES = 60
/** An acknowledged note, in a fsynced file (F) and a commit (C). */
const LIMIT = 4

/** notes_create as an agent calls it, in what its durability costs at least. */
export async function writeTimes({ log }: BenchOptions): Promise<Report> {
  await using service = await openService()
  const { database, kernel } = service.app
  const { db } = database
  await sql`create table one_row (number bigint)`.execute(db)
  const agent = await service.connect()
  const folder = kernel.config.data_dir
  const body = 'A finding of some length, as agents write them. '.repeat(40)
  const rounds: { file: number; commit: number; note: number; ratio: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const times = { file: [] as number[], commit: [] as number[], note: [] as number[] }
    for (let n = 0; n < WRITES; n++) {
      times.file.push(await timed(() => writeFile(folder, body)))
      times.commit.push(
        await timed(() => sql`insert into one_row values (${n}::bigint)`.execute(db)),
      )
      const note = { title: `Note ${round} ${n}`, body: `${n} ${body}`, project: 'atlas' }
      times.note.push(await timed(() => agent.call('notes_create', note)))
    }
    const [file, commit, note] = [median(times.file), median(times.commit), median(times.note)]
    // The first round warms everything up.
    if (round > 0) rounds.push({ file, commit, note, ratio: note / (file + commit) })
  }
  const of = (name: 'file' | 'commit' | 'note' | 'ratio'): number =>
    rounded(median(rounds.map((each) => each[name])))
  const ratio = of('ratio')
  log(`notes_create on the ${database.kind} database: ${ratio} (F + C)`)
  return {
    rows: [
      {
        what: 'notes_create acknowledged',
        database: database.kind,
        'F ms': of('file'),
        'C ms': of('commit'),
        'note ms': of('note'),
        'in F + C': ratio,
      },
    ],
    missed: ratio > LIMIT ? [`notes_create: ${ratio} (F + C), limit ${LIMIT}`] : [],
  }
}

/** A file that is there whole or not at all, also after a power cut. */
async function writeFile(folder: string, text: string): Promise<void> {
  const [temporary, path] = [join(folder, 'bench.tmp'), join(folder, 'bench.md')]
  const file = await open(temporary, 'w')
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(temporary, path)
  const directory = await open(folder)
  await directory.sync()
  await directory.close()
}
