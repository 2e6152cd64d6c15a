import { access, constants, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Environment } from '../../../config.ts'
import { invalid } from '../../../kernel/refusal.ts'
import type { ClientKind, Where } from './client.ts'
import { CLIENTS } from './clients.ts'

const SETS: Record<string, readonly ClientKind[]> = {
  both: CLIENTS.filter(({ name }) => name === 'claude' || name === 'codex'),
  all: CLIENTS,
}

/** Returns the clients that were named, or with `detect` those that this machine has. */
export async function clientsNamed(text: string, where: Where): Promise<ClientKind[]> {
  if (text === 'detect') {
    const found = await detect(where)
    if (found.length > 0) return found
    throw invalid(
      'no client found on this machine; name one with --client claude or --client codex',
    )
  }
  const clients = text.split(',').flatMap((word) => {
    const said = word.trim()
    const meant = SETS[said] ?? CLIENTS.filter(({ name, alias }) => name === said || alias === said)
    if (meant.length > 0) return meant
    const known = [...CLIENTS.map(({ name }) => name), ...Object.keys(SETS), 'detect'].join(', ')
    throw invalid(`no client "${said.slice(0, 100)}"; there are ${known}`)
  })
  return [...new Set(clients)]
}

/** The clients that this machine has, without those that are changed only when they are asked for. */
export async function detect(where: Where): Promise<ClientKind[]> {
  const found = CLIENTS.map(async ({ folders, program }) => {
    const there = await Promise.all((folders?.(where) ?? []).map(exists))
    return there.includes(true) || (program !== undefined && (await onPath(program, where.env)))
  })
  const isThere = await Promise.all(found)
  return CLIENTS.filter((_, at) => isThere[at])
}

/** Whether a program can be started by its name. */
async function onPath(program: string, env: Environment): Promise<boolean> {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program]
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = folders.flatMap((folder) =>
    names.map((name) => access(join(folder, name), constants.X_OK).then(() => true)),
  )
  return (await Promise.allSettled(found)).some(({ status }) => status === 'fulfilled')
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
