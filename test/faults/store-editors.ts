import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault, spread } from './fault.ts'
import { mismatches, notesOnDisk, openStore, type Store } from './store-process.ts'

const MOST_NOTES = 100
const DELETED = 5
const SEEN_WITHIN = 5_000

export const storeEditors = defineFault({
  id: 'R18',
  title: 'edits by hand and edits by tools, both with their eyes open, never overwrite each other',
  rounds: 500,

  async run({ rounds, random, timed, log }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    try {
      const [wire, reader] = [await openWire(store), await openWire(store)]
      const size = Math.max(2 * DELETED, Math.min(MOST_NOTES, rounds))
      const ids: string[] = []
      for (let n = 0; n < size; n++) {
        const draft = { title: `Note ${n}`, body: 'start\n', project: 'atlas' }
        ids.push(String((await call(wire, 'notes_create', draft)).ok?.['id']))
      }
      const expected = ids.map(() => [] as string[])
      const counts = { written: 0, stale: 0, staleAccepted: 0 }
      const noticed: number[] = []

      const byHand = async (): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const n = random.int(size)
          const word = `hand${round}x`
          if (await edit(store, n, word)) expected[n]!.push(word)
          if (round % 25 === 0) noticed.push(await untilFound(reader, word, ids[n]!))
          await sleep(random.int(20))
        }
      }
      const byTool = async (): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const n = random.int(size)
          const id = ids[n]!
          const word = `tool${round}x`
          const { ok } = await call(wire, 'notes_read', { id })
          const expect_hash = ok?.['content_hash']
          const blind = random.int(2) === 0
          const between = `late${round}x`
          if (blind && (await edit(store, n, between))) expected[n]!.push(between)
          const body = `${String(ok?.['body'])}${word}\n`
          const { ok: done } = await call(wire, 'notes_update', { id, body, expect_hash })
          if (done) expected[n]!.push(word)
          counts[done ? (blind ? 'staleAccepted' : 'written') : 'stale']++
          await sleep(random.int(20))
        }
      }
      await Promise.all([byHand(), byTool()])
      log(JSON.stringify(counts))
      if (counts.staleAccepted > 0)
        throw new Error(`${counts.staleAccepted} stale hashes were accepted`)

      const bodies = new Map(
        (await notesOnDisk(store.dataDir)).map((note) => [note.slug, note.body]),
      )
      const lost = expected.flatMap((words, n) =>
        words.filter((word) => !bodies.get(`note-${n}`)?.includes(word)),
      )
      none(lost, 'an edit was overwritten')
      for (let n = 0; n < DELETED; n++) await deleteByHand(store, wire, n, ids[n]!)
      await store.service.stop()
      none(await mismatches(store.dataDir), 'row and file differ')
      if (timed && Math.max(...noticed) > SEEN_WITHIN)
        throw new Error(`noticed after ${spread(noticed)}`)
      const { written, stale } = counts
      return `${expected.flat().length} edits, 0 overwritten; ${written} by tools, ${stale} refused as stale; found after ${spread(noticed)}`
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

/** One hand at a time has a file open: what two of them do to each other is not ours. */
const hands = new KeyedMutex()

/** As an editor does it: the whole file written anew and renamed. False when a tool was faster. */
const edit = (store: Store, n: number, word: string): Promise<boolean> =>
  hands.run([String(n)], () => editAlone(store, n, word))

async function editAlone(store: Store, n: number, word: string): Promise<boolean> {
  const file = join(store.dataDir, `notes/atlas/note-${n}.md`)
  const text = await readFile(file, 'utf8')
  await writeFile(`${file}~`, `${text}${word}\n`)
  if ((await readFile(file, 'utf8')) !== text) return false
  await rename(`${file}~`, file)
  return true
}

async function untilFound(wire: Wire, word: string, id: string): Promise<number> {
  const began = performance.now()
  for (;;) {
    const { ok } = await call(wire, 'recall', { query: word, project: 'atlas' })
    const hits = (ok?.['hits'] ?? []) as { id: string }[]
    if (hits.some((hit) => hit.id === id)) return performance.now() - began
    if (performance.now() - began > 30_000) throw new Error(`${word} was never found`)
    await sleep(50)
  }
}

/** The tool is refused, the file does not come back, and the row goes. */
async function deleteByHand(store: Store, wire: Wire, n: number, id: string): Promise<void> {
  const file = join(store.dataDir, `notes/atlas/note-${n}.md`)
  await rm(file)
  const { refused } = await call(wire, 'notes_append', { id, body: 'more' })
  if (!refused?.includes('no note with id')) throw new Error(`append to a deleted file: ${refused}`)
  const end = performance.now() + 30_000
  for (;;) {
    const { refused = '' } = await call(wire, 'notes_read', { id })
    // As long as there is a row the refusal says what became of the file.
    if (refused.includes('no note') && !refused.includes('removed')) break
    if (performance.now() > end) throw new Error(`note ${n} is still known: ${refused}`)
    await sleep(50)
  }
  if (existsSync(file)) throw new Error(`note ${n} came back`)
}

async function call(
  wire: Wire,
  name: string,
  args: object,
): Promise<{ ok?: Record<string, unknown>; refused?: string }> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (!body.result.isError) return { ok: body.result.structuredContent }
  return { refused: body.result.content[0].text }
}
