import { request } from 'undici'
import { unavailable } from '../../kernel/refusal.ts'
import { jsonAnswer, notLoam } from './json-answer.ts'

export interface Health {
  /** Whether the service answered with success. */
  ok: boolean
  status: string
  version: string
}

/** Returns what the service says of itself. Refuses when it cannot be reached. */
export async function readHealth(url: string): Promise<Health> {
  const answer = await request(`${url}/healthz`).catch((error: NodeJS.ErrnoException) => {
    throw unavailable(`${url}: the service cannot be reached (${error.code ?? 'unknown'})`)
  })
  const { status, version } = await jsonAnswer(url, answer)
  if (typeof status !== 'string') throw notLoam(url, answer.statusCode)
  return { ok: answer.statusCode === 200, status, version: String(version) }
}
