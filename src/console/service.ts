/** What the process that serves the console knows of itself, and no table holds. */
import type { Settings } from '../config.ts'
import type { Feature } from '../features/features.ts'

declare module 'fastify' {
  interface FastifyInstance {
    service: Service
  }
}

export interface Service {
  /** Where the configuration was read; of a house that was put together otherwise nothing is known. */
  configured: Partial<Pick<Settings, 'origins' | 'file'>>
  database(): 'embedded' | 'server'
  /** Every tool, and the feature that owns it. */
  tools: readonly { name: string; feature?: Feature }[]
  /** The names of the hooks that clients may call, as in their addresses. */
  hooks: readonly string[]
  /** How far the rows are behind the files. */
  progress(): { behind: boolean; read: number; files: number }
  /** Rejects with why what is written now would not be kept. */
  storage(): Promise<void>
}
