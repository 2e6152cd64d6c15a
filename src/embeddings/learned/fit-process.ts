/**
 * The process that learns, or checks a model that is configured: it is handed passages, answers with what came of them and
 * waits to be ended, as an answer of many bytes may still be under way. It has no database, and works behind everything else that the machine has to do.
 */
import { setPriority } from 'node:os'
import { checkEncoder, type Told } from './check-encoder.ts'
import { fit } from './fit.ts'
import { Gathered, type Counted } from './gather.ts'
import { encode } from './model.ts'

export type ToFit =
  | { kind: 'passages'; rows: { hash: string; item: string; words: string }[] }
  | { kind: 'sentences'; sentences: [hash: string, words: Counted][] }
  | { kind: 'fit' }
  /** Vectors of passages, of the sentences that are asked, of the passages without them, and of edited passages. */
  | { kind: 'vectors'; of: keyof Told; rows: (readonly [hash: string, vector: Float32Array])[] }
  | { kind: 'check' }

const LOW = 10
setPriority(LOW)

const gathered = new Gathered()
const told: Told = {
  ...{ passages: new Map(), sentences: new Map(), rests: new Map(), copies: new Map() },
}
process.on('message', (message: ToFit) => {
  if (message.kind === 'passages') {
    for (const { hash, item, words } of message.rows) gathered.add(hash, item, words)
  } else if (message.kind === 'sentences') {
    for (const [hash, words] of message.sentences) gathered.ask(hash, words)
  } else if (message.kind === 'vectors') {
    for (const [hash, vector] of message.rows) told[message.of].set(hash, vector)
  } else if (message.kind === 'check') {
    process.send!(checkEncoder(gathered, told))
  } else {
    const learned = fit(gathered)
    process.send!({ bytes: encode(learned), checked: learned.checked, dims: learned.dims })
  }
})
// Whoever asked is gone: nobody waits for the answer.
process.on('disconnect', () => process.exit())
