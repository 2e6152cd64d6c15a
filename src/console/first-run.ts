/** What an owner without any agent does next. */
import { fileURLToPath } from 'node:url'
import type { Kernel } from '../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/loam.mjs', import.meta.url))

/** The one command that connects the clients of a machine; on this one the program is where it runs now. */
export function connectCommand({ config }: Kernel): string {
  if (config.base_url !== '') return `loam install-hooks --url ${config.base_url}`
  return `node ${/^[\w./-]+$/.test(PROGRAM) ? PROGRAM : JSON.stringify(PROGRAM)} install-hooks`
}

/** Whether no agent has ever been here. */
export async function isFirstRun({ db }: Kernel, owner: OwnerScope): Promise<boolean> {
  checkOwner(owner)
  const one = await db.selectFrom('sessions').select('id').limit(1).executeTakeFirst()
  return one === undefined
}
