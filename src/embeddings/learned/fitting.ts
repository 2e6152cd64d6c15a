/** Has a model learned by a process of its own. */
import type { Kernel } from '../../kernel/kernel.ts'
import { openChild } from './child.ts'
import type { Checked } from './model.ts'
import { countOpen, sampled, sentencesOf, type Sampled } from './sample.ts'

export interface Fitted {
  bytes: Buffer
  dims: number
  checked: Checked
  /** Open passages when it began. */
  passages: number
}

/** Undefined when it was stopped. Throws when the process ends without an answer. */
export async function fitModel(kernel: Kernel, going: () => boolean): Promise<Fitted | undefined> {
  const passages = await countOpen(kernel.db)
  using child = openChild()
  const seen: Pick<Sampled, 'kind' | 'id' | 'hash'>[] = []
  for await (const rows of sampled(kernel.db, passages)) {
    if (!going()) return undefined
    seen.push(...rows.map(({ kind, id, hash }) => ({ kind, id, hash })))
    await child.tell({ kind: 'passages', rows: rows.map(toGather) })
  }
  const sentences = await sentencesOf(kernel, seen)
  await child.tell({
    kind: 'sentences',
    sentences: sentences.map(({ hash, words }) => [hash, words]),
  })
  await child.tell({ kind: 'fit' })
  const fitted = (await child.answer(going)) as Omit<Fitted, 'passages'> | undefined
  return fitted && { ...fitted, bytes: Buffer.from(fitted.bytes), passages }
}

/** As the process is told of a passage. */
export const toGather = ({ kind, id, hash, words }: Sampled) => ({
  ...{ hash, item: `${kind} ${id}` },
  words,
})
