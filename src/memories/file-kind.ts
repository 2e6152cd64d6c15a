import { blankItem, record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import type { FileKind } from '../vault/vault.ts'
import { dropItem, indexItem } from '../passages/passages.ts'
import { ensureProject } from '../projects/projects.ts'
import { memoryArchived, memoryWritten } from './events.ts'
import { parseMemory, type Memory } from './file.ts'
import { deleteMemoryRow, ownerOfPath, pathOfMemory, upsertMemory } from './store.ts'

/** Memories as files: how rows follow from what lies on disk. */
export const memoryFileKind: FileKind = {
  kind: 'memory',
  root: 'memory',
  extension: '.md',
  byProject: true,

  identify(file) {
    const { id, updated } = parseMemory(file)
    return { id, updated }
  },

  pathOf: pathOfMemory,

  async index(kernel, file, { outside }) {
    const memory = parseMemory(file)
    await ensureProject(kernel, memory.project)
    // The file was replaced by one with another id: the memory that was here is gone.
    const owner = await ownerOfPath(kernel.db, file.path)
    if (owner !== undefined && owner !== memory.id) await dropMemory(kernel, owner)
    await indexMemory(kernel, memory, file.path, file.hash)
    if (!outside) return
    const { id, project, name, kind } = memory
    await record(kernel, memoryWritten, {
      id: newId(kernel.clock.now()),
      by: NOBODY,
      project,
      item: id,
      payload: { name, kind, updated: true, outside: true },
    })
  },

  async forget(kernel, path) {
    const id = await ownerOfPath(kernel.db, path)
    if (id === undefined) return
    const [, directory = '', file = ''] = path.split('/')
    await dropMemory(kernel, id)
    await record(kernel, memoryArchived, {
      by: NOBODY,
      project: directory === '_global' ? '' : directory,
      item: id,
      payload: { name: file.slice(0, -'.md'.length), deleted: true, outside: true },
    })
  },
}

/** The row, the links and the passage of a memory, as its file says. */
export async function indexMemory(
  kernel: Kernel,
  memory: Memory,
  path: string,
  hash: string,
): Promise<void> {
  const { id, project, name, description, body, invalid_at } = memory
  await Promise.all([
    upsertMemory(kernel.db, memory, path, hash),
    indexItem(kernel, {
      kind: 'memory',
      id,
      project,
      active: invalid_at === null,
      title: name,
      description,
      text: body,
      whole: true,
    }),
  ])
}

/** Forgets a memory that is gone, and what events kept of its text. */
export async function dropMemory(kernel: Kernel, id: string): Promise<void> {
  await deleteMemoryRow(kernel.db, id)
  await dropItem(kernel, 'memory', id)
  await blankItem(kernel, id)
}
