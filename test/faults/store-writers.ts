import { none, quantile } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, type Wire } from '../helpers/wire.ts'
import { defineFault } from './fault.ts'
import { mismatches, notesOnDisk, openStore } from './store-process.ts'

const WRITERS = 200
const BYSTANDER_WITHIN = 100

export const storeWriters = defineFault({
  id: 'R19',
  title: '200 writers on one note lose nothing and do not slow who reads another note',
  rounds: 10,

  async run({ rounds, full, timed }) {
    const writers = full ? WRITERS : WRITERS / 5
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    try {
      const [first, ...wires] = await Promise.all(
        Array.from({ length: writers + 1 }, () => openWire(store)),
      )
      const bystander = first!
      const other = await call(bystander, 'notes_create', {
        title: 'Other',
        body: 'B',
        project: 'atlas',
      })
      const read = () => took(() => call(bystander, 'notes_read', { id: other['id'] }))
      for (let n = 0; n < writers / 4; n++) await read()
      const idle: number[] = []
      for (let n = 0; n < writers; n++) idle.push(await read())

      const busy: number[] = []
      let seconds = 0
      for (let round = 0; round < rounds; round++) {
        const began = performance.now()
        await together(wires, round, async () => void busy.push(await read()), bystander)
        seconds += (performance.now() - began) / 1000
      }
      const title = (round: number) => `One ${round}`
      const notes = await notesOnDisk(store.dataDir)
      for (let round = 0; round < rounds; round++) {
        const body = notes.find((note) => note.title === title(round))?.body ?? ''
        const words = body.split(/\s+/)
        const wrong = wires.flatMap((_, n) => {
          const times = words.filter((word) => word === `done-${n}`).length
          return times === 1 && !words.includes(`todo-${n}`) ? [] : [`${n}: ${times} times`]
        })
        none(wrong, `round ${round}: a write is not there once`)
      }
      await store.service.stop()
      none(await mismatches(store.dataDir), 'row and file differ')

      const [calm, loaded] = [quantile(idle, 0.99), quantile(busy, 0.99)]
      const figures =
        `${rounds * writers} writes, 0 lost, ${((rounds * writers) / seconds).toFixed(0)} a second; ` +
        `the bystander's p99 ${loaded.toFixed(1)} ms of ${busy.length} reads (idle ${calm.toFixed(1)} ms)`
      // On a busy machine in relation to the same read alone.
      if (timed && loaded > Math.max(BYSTANDER_WITHIN, 6 * calm)) throw new Error(figures)
      return figures
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

/** Half append, half edit their own word, all at once, while the bystander goes on reading. */
async function together(
  wires: readonly Wire[],
  round: number,
  bystand: () => Promise<void>,
  author: Wire,
): Promise<void> {
  const body = wires.map((_, n) => (n % 2 ? `todo-${n}` : '')).join('\n\n')
  const note = await call(author, 'notes_create', {
    title: `One ${round}`,
    body: `start\n${body}`,
    project: 'atlas',
  })
  const { id } = note
  let writing = true
  const bystanding = (async () => {
    while (writing) await bystand()
  })()
  await Promise.all(
    wires.map((wire, n) =>
      n % 2
        ? call(wire, 'notes_edit', {
            id,
            edits: [{ old_string: `todo-${n}\n`, new_string: `done-${n}\n` }],
          })
        : call(wire, 'notes_append', { id, body: `done-${n}` }),
    ),
  )
  writing = false
  await bystanding
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function call(wire: Wire, name: string, args: object): Promise<Record<string, unknown>> {
  const { body } = await wire.ask('tools/call', { name, arguments: args })
  if (body.result.isError) throw new Error(body.result.content[0].text)
  return body.result.structuredContent
}
