import type { Dispatcher } from 'undici'
import { type Refusal, unavailable } from '../../kernel/refusal.ts'

/** What it means when something answers at the address, but not as the service does. */
export const notLoam = (url: string, status = 200): Refusal =>
  unavailable(
    `${url}: what answers there is not Loam${status === 200 ? '' : ` (status ${status})`}; check the address`,
  )

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
