import type { Isolation } from './isolation.ts'

export interface Project {
  id: string
  slug: string
  name: string
  description: string
  isolation: Isolation
}
