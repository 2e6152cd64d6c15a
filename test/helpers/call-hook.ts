import { readFileSync } from 'node:fs'
import type { House } from './house.ts'

/** What a client gets for a hook. */
export interface Hooked {
  status: number
  body: {
    continue?: boolean
    suppressOutput?: boolean
    systemMessage?: string
    hookSpecificOutput?: { hookEventName: string; additionalContext: string }
    error?: string
  }
  /** What its agent is told; undefined when the answer has no place for it. */
  context: string | undefined
}

/** Calls a hook over HTTP as a client does; a text is sent as it is. */
export async function callHook(
  { url, key }: Pick<House, 'url' | 'key'>,
  name: string,
  payload: object | string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<Hooked> {
  const response = await fetch(`${url}/api/hooks/${name}${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
  const body = (await response.json()) as Hooked['body']
  return {
    status: response.status,
    body,
    context: body.hookSpecificOutput?.additionalContext,
  }
}

/** A payload as the client sends it by itself, with what a test adds. */
export function fixture(path: string, more: object = {}): Record<string, unknown> {
  const file = new URL(`../hooks/fixtures/${path}.json`, import.meta.url)
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...more }
}

export const CODEX = { query: '?client=codex' }
