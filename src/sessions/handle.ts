/** The short names of clients' sessions, by which agents name themselves: `cc/7f3k`. */
import { createHash } from 'node:crypto'

/** What a handle begins with, by the client's name. */
export const CLIENT_PREFIXES: Readonly<Record<string, string>> = {
  'claude-code': 'cc',
  codex: 'cx',
  opencode: 'oc',
  gemini: 'ge',
  qwen: 'qw',
  cursor: 'cu',
  vscode: 'vs',
}

/** Without letters that look like digits, and without vowels, so that no word comes out. */
const ALPHABET = 'bcdfghjkmnpqrstvwxyz23456789'
const SHORTEST = 4
const LONGEST = 24

/**
 * Returns the handles that a client's session may get, the shortest first: each is one character longer
 * than the one before. They follow from the client's own id alone.
 */
export function handlesOf(client: string, external: string): string[] {
  const prefix = CLIENT_PREFIXES[client] ?? plainName(client)
  const characters = charactersOf(external)
  return Array.from(
    { length: LONGEST - SHORTEST + 1 },
    (_, more) => `${prefix}/${characters.slice(0, SHORTEST + more)}`,
  )
}

const plainName = (client: string): string =>
  client
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 20)

/** The hash of an id, written in the alphabet. */
function charactersOf(id: string): string {
  let rest = BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
  const base = BigInt(ALPHABET.length)
  let written = ''
  for (; written.length < LONGEST; rest /= base) written += ALPHABET[Number(rest % base)]
  return written
}
