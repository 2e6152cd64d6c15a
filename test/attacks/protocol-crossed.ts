import { openWire, type Wire } from '../helpers/wire.ts'
import { defineAttack, inParallel, none } from './attack.ts'
import { startProduct } from './product.ts'

const SESSIONS = 200

export const protocolCrossed = defineAttack({
  id: 'P8',
  title: '200 sessions at once with equal request ids each get their own answers',
  rounds: 100,

  async run({ rounds, random }) {
    await using product = await startProduct()
    const wires: Wire[] = []
    await inParallel(SESSIONS, 20, async () => void wires.push(await openWire(product)))
    const crossed: unknown[] = []
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        wires.map(async (wire, index) => {
          // Nothing has this id, and the answer says so by name.
          const own = `${String(round).padStart(13, '0')}${String(index).padStart(13, '0')}`
          const id = random.pick([1, '1', 'same'])
          const { body } = await wire.ask(
            'tools/call',
            { name: 'notes_read', arguments: { id: own } },
            id,
          )
          const text: string = body.result?.content[0].text ?? ''
          if (body.id !== id || !text.includes(own)) crossed.push({ own, id, body })
        }),
      )
    }
    none(crossed, 'an answer that belongs to another')
  },
})
