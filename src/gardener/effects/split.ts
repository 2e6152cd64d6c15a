import { divideProject, type Divided } from '../../projects/projects.ts'
import type { Label, Payloads } from '../payloads.ts'
import { defineEffect } from './effect.ts'

/** The frame of a split. What lies in the project is moved by the other proposals of the plan. */
export const split = defineEffect({
  kind: 'split',
  final: true,
  apply: ({ kernel }, _by, payload) => {
    const shared = sharedOf(payload)
    return divideProject(kernel, {
      source: payload.source_project,
      children: payload.children,
      ...(shared && { shared }),
      family: payload.family,
      retire: payload.retire_source,
    })
  },
  told(_payload, written) {
    const { created, family, parented, retired } = written as unknown as Divided
    return { created, family, parented, retired }
  },
})

const sharedOf = ({ shared }: Payloads['split']): Label | undefined =>
  'slug' in shared ? (shared as Label) : undefined
