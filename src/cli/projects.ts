/** The owner's word on projects: which places belong to them, and which are kin. */
import { resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { operate } from './operator.ts'

interface Options {
  config?: string
}

/** Maps a directory, a remote or both; the current directory when neither is given. */
export async function mapRepo({
  config: file,
  project,
  path,
  remote,
}: Options & { project: string; path?: string; remote?: string }): Promise<void> {
  const paths = path !== undefined || remote === undefined ? [resolve(path ?? '.')] : []
  const places = [...paths, ...(remote === undefined ? [] : [remote])]
  const mapped = await operate(await loadConfig({ file }), 'map', { project, places })
  for (const { place, project, before } of mapped) {
    const was = before !== null && before !== project ? `, no longer to ${before}` : ''
    console.log(`${place} belongs to ${project}${was}`)
  }
}

export async function listMap({ config: file }: Options): Promise<void> {
  const rows = await operate(await loadConfig({ file }), 'places')
  for (const { place, project, sighted } of rows) {
    console.log(`${place}  ${project}${sighted ? '  (at first sight)' : ''}`)
  }
  if (rows.length === 0) console.log('No place is known yet.')
}

export async function listFamilies({ config: file }: Options): Promise<void> {
  const families = await operate(await loadConfig({ file }), 'families')
  for (const { family, projects } of families) console.log(`${family}: ${projects.join(', ')}`)
  if (families.length === 0) console.log('There is no family yet.')
}

export async function addToFamily(
  family: string,
  projects: string[],
  { config: file }: Options,
): Promise<void> {
  const added = await operate(await loadConfig({ file }), 'join', { family, projects })
  console.log(`${projects.join(', ')}: of the family ${added.family}`)
  if (added.unregistered.length > 0) {
    console.error(`loam: nobody has registered ${added.unregistered.join(', ')} yet`)
  }
}

export async function removeFromFamily(
  family: string,
  projects: string[],
  { config: file }: Options,
): Promise<void> {
  const { removed } = await operate(await loadConfig({ file }), 'leave', { family, projects })
  const count = `${removed} ${removed === 1 ? 'project' : 'projects'}`
  console.log(
    `${count} taken out of the family ${family}${projects.length === 0 ? ', which has ended' : ''}`,
  )
}
