/** The clients whose hooks are understood, and how much text each passes on to its agent whole. */
import { httpError } from '../http/errors.ts'
import { capBlock } from '../text/context-block.ts'

interface Ceiling {
  most: number
  unit: 'bytes' | 'characters'
}

/** For clients of which no limit is known: the strictest of the others. */
const CAUTIOUS = { most: 9_600, unit: 'bytes' } as const

/** Beyond this length a client keeps the text in a file, or shows only its beginning. */
export const CEILINGS = {
  // Measured: this much arrives whole, of 50,000 characters only a preview.
  'claude-code': { most: 10_000, unit: 'characters' },
  // It moves what a hook answers to a file from about 2,500 tokens on, of four bytes each.
  codex: { most: 9_600, unit: 'bytes' },
  opencode: CAUTIOUS,
  gemini: CAUTIOUS,
  qwen: CAUTIOUS,
  cursor: CAUTIOUS,
  vscode: CAUTIOUS,
} as const satisfies Record<string, Ceiling>

export type Client = keyof typeof CEILINGS
export const CLIENTS = Object.keys(CEILINGS) as Client[]

/** Returns the client in `?client=`; without it, Claude Code, whose own HTTP hooks cannot say. Throws 400. */
export function clientOf(url: string): Client {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : ''
  const said = new URLSearchParams(query).getAll('client')
  if (said.length === 0) return 'claude-code'
  const client = CLIENTS.find((known) => said.length === 1 && known === said[0])
  if (!client) throw httpError(400, `client must be one of ${CLIENTS.join(', ')}, once`)
  return client
}

/** Cuts a block to what the client passes on whole. Its tags and its last `keep` lines stay. */
export function cutFor(client: Client, block: string, keep: number): string {
  const { most, unit }: Ceiling = CEILINGS[client]
  const once = capBlock(block, { most, unit, keep })
  // Clients count a character past the basic plane as two.
  const over = unit === 'characters' ? once.length - most : 0
  return over > 0 ? capBlock(block, { most: most - over, unit, keep }) : once
}
