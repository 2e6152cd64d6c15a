import type { Db } from '../kernel/kernel.ts'
import { together } from '../kernel/together.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { rowOf } from '../documents/documents.ts'
import { lexemesOf } from '../passages/passages.ts'
import { readable, searchedOf, type Scope } from '../projects/projects.ts'
import { linksOf } from '../text/links.ts'
import { slugify } from '../text/slug.ts'
import type { Memory } from './file.ts'
import { stageHeader } from './stage.ts'

/** How an active memory among those searched is shown in a list. */
export function findDescribed(
  db: Db,
  id: string,
  scope: Scope,
): Promise<{ name: string; description: string } | undefined> {
  return db
    .selectFrom('memories')
    .select(['name', 'description'])
    .where('id', '=', id)
    .where('invalid_at', 'is', null)
    .where('project', 'in', [...searchedOf(scope)])
    .executeTakeFirst()
}

/** What replaced a memory, as far as the caller may read it. */
export function replacementOf(
  db: Db,
  scope: Scope,
  old: string,
): Promise<{ project: string; name: string } | undefined> {
  return db
    .selectFrom('memories as heir')
    .innerJoin('memories as old', 'old.superseded_by', 'heir.id')
    .select(['heir.project', 'heir.name'])
    .where('old.id', '=', old)
    .where(readable(scope, 'heir.project'))
    .executeTakeFirst()
}

/** Brings the row and the links of a memory in line with its file. */
export async function upsertMemory(
  db: Db,
  memory: Memory,
  path: string,
  hash: string,
): Promise<void> {
  const { id, kind, name, description, body } = memory
  const { status, gate } = kind === 'stage' ? stageHeader(body) : NO_STAGE
  const row = {
    ...rowOf(memory, path, hash),
    stage_status: status,
    stage_gate: gate,
    heading: lexemesOf(`${name}\n\n${description}`),
  }
  const named = linksOf(body, projectNamed)
  const links = named.map(({ name, qualifier: project }) => ({ source_id: id, name, project }))
  await putMemory(db, { row, links })
}

const putAll = sqlFile<{ written: string; linked: string }, never>('memories/put', { kept: true })
const putMemory = together(
  async (db, memories: readonly { row: object; links: readonly object[] }[]) => {
    await putAll(db, {
      written: JSON.stringify(memories.map(({ row }) => row)),
      linked: JSON.stringify(memories.flatMap(({ links }) => links)),
    })
    return memories.map(() => undefined)
  },
)

const projectNamed = (text: string): string =>
  text === 'global' || text === '_global' ? '' : slugify(text) || text

const NO_STAGE = { status: '', gate: '' }

const linksFrom = (db: Pick<Db, 'deleteFrom'>, id: string) =>
  db.deleteFrom('links').where('source_kind', '=', 'memory').where('source_id', '=', id)

export async function removeMemory(db: Db, id: string): Promise<void> {
  await db.deleteFrom('memories').where('id', '=', id).execute()
  await linksFrom(db, id).execute()
}
