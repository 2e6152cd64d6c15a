import type { Corpus } from './kernel/vault.ts'
import { memoryCorpus } from './memories/memories.ts'
import { noteCorpus } from './notes/notes.ts'
import { projectCorpus } from './projects/projects.ts'

/** Every kind of knowledge file. Projects come first: their fences stand before anything is indexed. */
export const corpora: readonly Corpus[] = [projectCorpus, memoryCorpus, noteCorpus]
