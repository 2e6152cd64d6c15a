/** One request to an embedding provider, and the vectors of its answer. */
import type { Dispatcher } from 'undici'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { EmbedTrouble } from '../kernel/embedder.ts'
import { malformed, post, refusedWith, type Asked } from '../kernel/provider.ts'
import type { Provider } from './provider.ts'

/** The most dimensions that a row can hold. */
const MOST_DIMS = 4000

const WORDS = {
  subject: 'the embedding provider',
  misconfigured: 'embeddings are misconfigured: no request can be made of embeddings.*',
}

const Vector = Type.Array(Type.Number())
const OPENAI = Compile(
  Type.Object({
    data: Type.Array(Type.Object({ index: Type.Optional(Type.Integer()), embedding: Vector })),
  }),
)
const OLLAMA = Compile(Type.Object({ embeddings: Type.Array(Vector) }))

/** Asks once. Trouble at the far end is a value; a request that cannot be built is a Refusal. */
export async function ask(
  dispatcher: Dispatcher,
  provider: Provider,
  texts: readonly string[],
  { deadlineMs, stop }: { deadlineMs: number; stop: AbortSignal },
): Promise<number[][] | EmbedTrouble> {
  const asked: Asked = { ...WORDS, ...provider }
  const request = { headers: headersOf(provider), body: bodyOf(provider, texts) }
  const late = AbortSignal.timeout(deadlineMs)
  const answer = await post(dispatcher, asked, request, { late, deadlineMs, stop })
  if ('cause' in answer) return answer
  if ('status' in answer) return refusedWith(asked, answer)
  return vectorsOf(provider, texts.length, answer.text)
}

const headersOf = ({ key }: Provider): Record<string, string> =>
  key === '' ? {} : { authorization: `Bearer ${key}` }

function bodyOf({ protocol, model, dims }: Provider, texts: readonly string[]): object {
  const body = { model, input: texts }
  return protocol === 'openai' && dims > 0 ? { ...body, dimensions: dims } : body
}

/** The answer's vectors in the order of the texts, each of length 1. */
function vectorsOf(
  { protocol, dims }: Provider,
  count: number,
  text: string,
): number[][] | EmbedTrouble {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return malformed(WORDS, 'something that is not JSON')
  }
  const vectors = protocol === 'openai' ? openaiVectors(answer) : ollamaVectors(answer)
  if (!vectors) return malformed(WORDS, 'JSON that holds no vectors')
  if (vectors.length !== count) {
    return malformed(WORDS, `${vectors.length} vectors for ${count} texts`)
  }
  const length = vectors[0]?.length ?? 0
  if (vectors.some((vector) => vector.length !== length)) {
    return malformed(WORDS, 'vectors of different lengths')
  }
  if (length === 0) return malformed(WORDS, 'empty vectors')
  if (dims > 0 && length !== dims) return wrongDims(length, `instead of the ${dims} configured`)
  if (length > MOST_DIMS) {
    return wrongDims(length, `and at most ${MOST_DIMS} can be kept: set embeddings.dims`)
  }
  return vectors.map(unit)
}

export const wrongDims = (length: number, rest: string): EmbedTrouble => ({
  kind: 'dimensions',
  cause: `${WORDS.subject} gives vectors of ${length} dimensions ${rest}`,
})

function openaiVectors(answer: unknown): number[][] | undefined {
  if (!OPENAI.Check(answer)) return undefined
  return answer.data
    .map(({ index, embedding }, place) => ({ index: index ?? place, embedding }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => embedding)
}

const ollamaVectors = (answer: unknown): number[][] | undefined =>
  OLLAMA.Check(answer) ? answer.embeddings : undefined

/** A vector of length 0 stays as it is: it is near to nothing. */
function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((part) => part / length) : vector
}
