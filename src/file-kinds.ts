import type { FileKind } from './vault/vault.ts'
import { memoryFileKind } from './memories/memories.ts'
import { noteFileKind } from './notes/notes.ts'
import { projectFileKind } from './projects/projects.ts'

/** Every kind of knowledge file. Projects come first: their fences stand before anything is indexed. */
export const fileKinds: readonly FileKind[] = [projectFileKind, memoryFileKind, noteFileKind]
