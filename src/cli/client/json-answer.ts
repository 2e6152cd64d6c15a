import { type Dispatcher, request } from 'undici'
import { type Refusal, unavailable } from '../../kernel/refusal.ts'

/** A person waits: what takes longer than this is not coming, or only after others. */
export const ANSWER_MS = 10_000

/** What it means when something answers at the address, but not as the service does. */
export const notLoam = (url: string, status = 200): Refusal =>
  unavailable(
    `${url}: what answers there is not Loam${status === 200 ? '' : ` (status ${status})`}; check the address`,
  )

export const noAnswer = (url: string, cause?: unknown): Refusal =>
  unavailable(`${url}: the service gave no answer within ${ANSWER_MS / 1000} s`, cause)

/** Asks the service for JSON at a path. Refuses when it cannot be reached, or is silent. */
export async function askJson(
  url: string,
  path: string,
  how: { method?: 'GET' | 'POST'; headers?: Record<string, string> } = {},
): Promise<{ statusCode: number; body: Record<string, unknown> }> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    const answer = await request(`${url}${path}`, { ...how, signal }).catch(
      (error: NodeJS.ErrnoException) => {
        throw unavailable(
          `${url}: the service cannot be reached (${error.code ?? 'unknown'})`,
          error,
        )
      },
    )
    return { statusCode: answer.statusCode, body: await jsonAnswer(url, answer) }
  } catch (error) {
    throw signal.aborted ? noAnswer(url, error) : error
  }
}

/** Returns the JSON object of an answer. Refuses when there is none: an address may lead anywhere. */
export async function jsonAnswer(
  url: string,
  { body, statusCode }: Dispatcher.ResponseData,
): Promise<Record<string, unknown>> {
  const value: unknown = await body.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined
    throw unavailable(`${url}: the connection broke before the whole answer came`, error)
  })
  if (typeof value !== 'object' || value === null) throw notLoam(url, statusCode)
  return value as Record<string, unknown>
}
