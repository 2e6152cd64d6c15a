/** The cluster that the engine works on, held by its identity. */
import { join } from 'node:path'
import { hold, type Leads } from '../../kernel/held.ts'

/** Where a cluster stands or is to be made. */
export interface Place {
  /** As its owner finds it. */
  name: string
  /** The path to it through the folder that is held. */
  at: string
}

export interface Ground {
  /** The engine's files lie below this path, whatever the name leads to by now. */
  root: string
  /** Differs for every cluster that stands in the place. */
  identity: string
  /** Where the name of the cluster leads now. */
  leads(): Promise<Leads>
  /** The same at once. */
  leadsNow(): Leads
  close(): void
}

/** The engine writes this file in place as long as the cluster lives. */
const CONTROL = join('global', 'pg_control')

/**
 * Holds the cluster's folder, and a file in it that is never replaced: the folder alone would not show that
 * its content was. Both names lead through every folder above, so that a change of any of them shows.
 */
export function holdCluster({ name, at }: Place): Ground {
  const folder = hold(name, at)
  try {
    const control = hold(join(name, CONTROL), join(folder.root, CONTROL))
    return {
      root: folder.root,
      identity: `${folder.identity} ${control.identity}`,
      leads: async () => worse(await folder.leads(), await control.leads()),
      leadsNow: () => worse(folder.leadsNow(), control.leadsNow()),
      close() {
        folder.close()
        control.close()
      },
    }
  } catch (cause) {
    folder.close()
    throw cause
  }
}

const worse = (folder: Leads, file: Leads): Leads => (folder === 'here' ? file : folder)
