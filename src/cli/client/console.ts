import type { Client } from '../../config/client.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { askJson } from './json-answer.ts'

/** Returns the console's JSON for the owner, whose key this is. Refuses in the console's own words. */
export async function askConsole(
  client: Client,
  path: string,
  method: 'GET' | 'POST',
): Promise<unknown> {
  const headers = { authorization: `Bearer ${await client.key()}`, accept: 'application/json' }
  const { statusCode, body } = await askJson(client.url, path, { method, headers })
  if (statusCode === 200) return body
  throw new Refusal('not_found', String(body['error'] ?? `the service answered ${statusCode}`))
}
