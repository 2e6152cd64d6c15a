/**
 * The process that learns: it is handed passages, answers with the model and waits to be ended, as an answer of many bytes
 * may still be under way. It has no database, and works behind everything else that the machine has to do.
 */
import { setPriority } from 'node:os'
import { fit } from './fit.ts'
import { Gathered, type Counted } from './gather.ts'
import { encode } from './model.ts'

export type ToFit =
  | { kind: 'passages'; rows: { hash: string; item: string; words: string }[] }
  | { kind: 'sentences'; sentences: [hash: string, words: Counted][] }
  | { kind: 'fit' }

const LOW = 10
setPriority(LOW)

const gathered = new Gathered()
process.on('message', (message: ToFit) => {
  if (message.kind === 'passages') {
    for (const { hash, item, words } of message.rows) gathered.add(hash, item, words)
  } else if (message.kind === 'sentences') {
    for (const [hash, words] of message.sentences) gathered.ask(hash, words)
  } else {
    const learned = fit(gathered)
    process.send!({ bytes: encode(learned), checked: learned.checked, dims: learned.dims })
  }
})
// Whoever asked is gone: nobody waits for the answer.
process.on('disconnect', () => process.exit())
