import { request } from 'undici'
import type { Client } from '../../config/client.ts'
import { Refusal, unavailable } from '../../kernel/refusal.ts'
import { jsonAnswer } from './json-answer.ts'

/** Returns the console's JSON for the owner, whose key this is. Refuses in the console's own words. */
export async function askConsole(
  client: Client,
  path: string,
  method: 'GET' | 'POST',
): Promise<unknown> {
  const headers = { authorization: `Bearer ${await client.key()}`, accept: 'application/json' }
  const answer = await request(`${client.url}${path}`, { method, headers }).catch(
    (error: NodeJS.ErrnoException) => {
      throw unavailable(`${client.url}: the service cannot be reached (${error.code ?? 'unknown'})`)
    },
  )
  const body = await jsonAnswer(client.url, answer)
  if (answer.statusCode === 200) return body
  throw new Refusal(
    'not_found',
    String(body['error'] ?? `the service answered ${answer.statusCode}`),
  )
}
