/** What an owner without any agent does next, and commands as the owner can paste them. */
import { fileURLToPath } from 'node:url'
import { fileToName } from '../config/client.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/loam.mjs', import.meta.url))

/**
 * The one command that connects the clients of a machine. On this one the program is where it runs now; where the
 * service has an address of its own the command is typed elsewhere, and says it.
 */
export async function connectCommand({ config }: Kernel, words = ''): Promise<string> {
  const install = ['install-hooks', words].filter(Boolean).join(' ')
  if (config.base_url !== '') return `loam ${install} --url ${config.base_url}`
  return operatorCommand({ config }, install)
}

/** A command of the operator, who runs it on the machine of the service: it finds this store from anywhere. */
export async function operatorCommand(
  { config }: Pick<Kernel, 'config'>,
  words: string,
): Promise<string> {
  const file = await fileToName(config.data_dir)
  return `node ${shellWord(PROGRAM)} ${words}${file ? ` --config ${shellWord(file)}` : ''}`
}

/**
 * How the program is called on the machine of the service, for pages that anybody may read: they name no place. A
 * clone calls it from its own folder, an installed package from anywhere.
 */
export const program = (words: string): string =>
  PROGRAM.includes('/node_modules/') ? `loam ${words}` : `node bin/loam.mjs ${words}`

/** Opens a file of the store in the editor of whoever types it. */
export const editCommand = (path: string): string => `"\${EDITOR:-vi}" ${shellWord(path)}`

const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Whether no agent has ever been here. */
export async function isFirstRun({ db }: Kernel, owner: OwnerScope): Promise<boolean> {
  checkOwner(owner)
  const one = await db.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  return one === undefined
}

/** The command, while no agent has ever been here; null later. */
export async function firstCommand(kernel: Kernel, owner: OwnerScope): Promise<string | null> {
  return (await isFirstRun(kernel, owner)) ? connectCommand(kernel) : null
}
