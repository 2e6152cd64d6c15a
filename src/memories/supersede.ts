/** What a write names as superseded: judged before the write, retired after it. */
import { honest } from '../kernel/catch-up.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden, Refusal } from '../kernel/refusal.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { addsUnseen, refuseUnwritable, wireProject, type Scope } from '../projects/projects.ts'
import {
  findDocument,
  missing,
  readReference,
  spelled,
  type Address,
  type Found,
} from '../documents/documents.ts'
import { memoryDocument } from './document.ts'
import { refuseHidden, supersede } from './lifecycle.ts'
import { replacementOf } from './store.ts'
import type { WrittenMemory } from './write.ts'

/** A memory that is about to be written. */
interface Heir {
  project: string
  name: string
}

/**
 * Returns the memory that a write is to retire; undefined when it is the one that is written.
 *
 * A plain name means the project of the new memory. What holds for every project is retired only by who
 * says so: `global/name`. Refused when there is none, when it has ended, when the caller may not change
 * it, and when those who read it may not read the new one. Nothing has been written by then.
 */
export async function findSuperseded(
  kernel: Kernel,
  scope: Scope,
  heir: Heir,
  given: string,
): Promise<Found | undefined> {
  const { db } = kernel
  if (await addsUnseen(db, scope, heir.project)) {
    throw forbidden(
      `a memory that is put into project ${heir.project} from outside replaces no other; ` +
        'leave supersedes out',
    )
  }
  const found = await target(kernel, scope, heir, given)
  if (!found) return undefined
  if (!found.active && !(await isReplacedBy(db, scope, found.id, heir))) {
    throw hasEnded(found.name)
  }
  await refuseHidden(db, found, heir)
  return found
}

async function isReplacedBy(
  db: Db,
  scope: Scope,
  old: string,
  { project, name }: Heir,
): Promise<boolean> {
  const by = await replacementOf(db, scope, old)
  return by?.project === project && by.name === name
}

/**
 * Retires what findSuperseded found and returns its reference. The new memory is written by now and stays,
 * so a failure says so.
 */
export async function supersedeFound(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  written: WrittenMemory,
  found: Found,
): Promise<string> {
  const name = `${wireProject(found.project)}/${found.name}`
  const began = performance.now()
  try {
    await supersede(kernel, by, found.id, written.id, { scope })
    return name
  } catch (thrown) {
    const error = await honest(kernel, thrown, began)
    const refusal = asRefusal(error)
    if (!refusal) kernel.log.error({ err: error, name }, 'a memory was not superseded')
    throw new Refusal(
      refusal?.kind ?? 'unavailable',
      `the new memory "${written.name}" was written and is kept with id ${written.id}, but ` +
        `superseding "${name}" failed: ${refusal?.message ?? 'internal error'}. The old memory is ` +
        'as it was; put right what is wrong and write again under the same name, nothing is lost',
      { cause: error },
    )
  }
}

/** A reference means its own project alone; else it is a name with a slash in it. The heir itself is none. */
async function target(
  kernel: Kernel,
  scope: Scope,
  heir: Heir,
  given: string,
): Promise<Found | undefined> {
  const { project } = heir
  const reference = await readReference(kernel.db, scope.caller, given)
  if (reference?.readable) {
    const address = spelled(memoryDocument, { name: reference.name })
    const searched = [reference.project]
    if (reference.project === project && isNamed(address, heir)) return undefined
    const found = await findDocument(kernel, memoryDocument, scope, address, searched)
    if (found) return judged(scope, found, { project: reference.project, searched }, address)
  }
  const address = spelled(memoryDocument, { name: given })
  if (isNamed(address, heir)) return undefined
  const own = await findDocument(kernel, memoryDocument, scope, address, [project])
  if (own) return judged(scope, own, { project, searched: [project] }, address)
  const alone = project === '' || !scope.searched.includes('')
  const searched = alone ? [project] : [project, '']
  const found = await findDocument(kernel, memoryDocument, scope, address, searched)
  const { name, active } = judged(scope, found, { project, searched }, address)
  if (active) {
    throw conflict(
      `"${name}" is a memory of the global scope, which holds in every project: pass ` +
        `supersedes=global/${name} to retire it everywhere`,
    )
  }
  throw hasEnded(name)
}

const hasEnded = (name: string): Refusal =>
  conflict(
    `memory "${name}" was already superseded or archived: supersede what memory_read says replaced it, ` +
      'or leave supersedes out',
  )

/** Whether the address means the memory that is written, under its name of former times too. */
const isNamed = (address: Address, { name }: Heir): boolean =>
  'name' in address && (address.name === name || address.cut === name)

function judged(
  scope: Scope,
  found: Found | undefined,
  where: { project: string; searched: string[] },
  address: Address,
): Found {
  refuseUnwritable(scope, found, missing(memoryDocument, where, address))
  return found
}
