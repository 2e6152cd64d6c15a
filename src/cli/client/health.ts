import { request } from 'undici'
import { unavailable } from '../../kernel/refusal.ts'

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
  const { status, version } = (await answer.body.json()) as Omit<Health, 'ok'>
  return { ok: answer.statusCode === 200, status, version }
}
