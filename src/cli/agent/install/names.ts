import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalid } from '../../../kernel/refusal.ts'
import type { Machine } from '../../machine.ts'
import { claudeSettings, codexHome } from './clients.ts'
import { onPath } from './register.ts'

const CLIENTS = ['claude', 'codex', 'claude-desktop'] as const
export type ClientName = (typeof CLIENTS)[number]

const ALIASES: Record<string, readonly ClientName[]> = {
  cc: ['claude'],
  cx: ['codex'],
  desktop: ['claude-desktop'],
  both: ['claude', 'codex'],
  all: CLIENTS,
}

/** Returns the clients that were named, or with `detect` those that this machine has. */
export async function clientNames(
  text: string,
  machine: Pick<Machine, 'env'>,
): Promise<ClientName[]> {
  if (text === 'detect') {
    const found = await detect(machine)
    if (found.length > 0) return found
    throw invalid(
      'no client found on this machine; name one with --client claude or --client codex',
    )
  }
  const names = text.split(',').flatMap((word) => {
    const name = word.trim()
    const meant = ALIASES[name] ?? CLIENTS.filter((each) => each === name)
    if (meant.length > 0) return meant
    const known = [...CLIENTS, ...Object.keys(ALIASES), 'detect'].join(', ')
    throw invalid(`no client "${name.slice(0, 100)}"; there are ${known}`)
  })
  return [...new Set(names)]
}

/** The desktop app is changed only when it is asked for. */
async function detect(machine: Pick<Machine, 'env'>): Promise<ClientName[]> {
  const { env } = machine
  const found: ClientName[] = []
  if ((await exists(join(claudeSettings(machine), '..'))) || (await onPath('claude', env)))
    found.push('claude')
  if ((await exists(codexHome(machine))) || (await onPath('codex', env))) found.push('codex')
  return found
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
