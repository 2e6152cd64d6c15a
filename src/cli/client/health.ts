import { askJson, notLoam } from './json-answer.ts'

export interface Health {
  /** Whether the service answered with success. */
  ok: boolean
  status: string
  version: string
}

/** Returns what the service says of itself. Refuses when it cannot be reached. */
export async function readHealth(url: string): Promise<Health> {
  const { statusCode, body } = await askJson(url, '/healthz')
  const { status, version } = body
  if (typeof status !== 'string') throw notLoam(url, statusCode)
  return { ok: statusCode === 200, status, version: String(version) }
}
