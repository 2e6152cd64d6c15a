/** The owner's word on projects: what they are, which places belong to them, and which are kin. */
import { resolve } from 'node:path'
import { loadConfig } from '../config.ts'
import { wireTime } from '../kernel/clock.ts'
import { invalid } from '../kernel/refusal.ts'
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

export async function listProjects({ config: file }: Options): Promise<void> {
  const projects = await operate(await loadConfig({ file }), 'projects')
  for (const { slug, name, isolation, parent, retired, memories, notes, tasks } of projects) {
    const parts = [
      name === slug ? slug : `${slug} (${name})`,
      ...(isolation === 'open' ? [] : [isolation]),
      ...(parent === null ? [] : [`inherits from ${parent}`]),
      ...(retired === null ? [] : ['retired']),
      `${memories} memories, ${notes} notes, ${tasks} tasks to do`,
    ]
    console.log(parts.join('  '))
  }
  if (projects.length === 0) console.log('There is no project yet.')
}

export async function showProject(project: string, { config: file }: Options): Promise<void> {
  const shown = await operate(await loadConfig({ file }), 'project', { project })
  const lists = { children: shown.children, families: shown.families, places: shown.places }
  const rows = Object.entries({
    slug: shown.slug,
    id: shown.id,
    name: shown.name,
    description: shown.description,
    isolation: shown.isolation,
    parent: shown.parent ?? '',
    retired: shown.retired === null ? '' : wireTime(new Date(shown.retired)),
    created: wireTime(new Date(shown.created)),
    ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.join(', ')])),
    holds: `${shown.memories} memories, ${shown.notes} notes, ${shown.tasks} tasks to do`,
  })
  for (const [name, value] of rows) if (value !== '') console.log(`${name.padEnd(11)}  ${value}`)
}

export async function renameProject(
  project: string,
  name: string,
  { config: file }: Options,
): Promise<void> {
  const named = await operate(await loadConfig({ file }), 'renameProject', { project, name })
  console.log(`${named.slug} is called ${named.name}`)
}

export async function setParent(
  project: string,
  parent: string | undefined,
  { config: file, none = false }: Options & { none?: boolean },
): Promise<void> {
  if ((parent === undefined) !== none) throw invalid('name the parent, or pass --none')
  const input = { project, parent: parent ?? null }
  const set = await operate(await loadConfig({ file }), 'parentProject', input)
  const was =
    set.before !== null && set.before !== set.parent ? `, no longer from ${set.before}` : ''
  console.log(`${set.slug} inherits from ${set.parent ?? 'nobody'}${was}`)
}

export async function setRetired(
  project: string,
  retired: boolean,
  { config: file }: Options,
): Promise<void> {
  const input = { project, retired }
  const { slug, changed } = await operate(await loadConfig({ file }), 'retireProject', input)
  const state = retired ? 'retired' : 'in use'
  console.log(changed ? `${slug} is ${state} now` : `${slug} was ${state}`)
}
