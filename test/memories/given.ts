/** What tests of memories begin with. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent, Answer } from '../helpers/agent.ts'
import type { House } from '../helpers/house.ts'

/** A memory of this name that says enough to be one. */
export const fact = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  kind: 'gotcha',
  description: `What is known of ${name}`,
  body: `The body of ${name}.\n`,
  project: 'atlas',
  ...more,
})

export const remember = (
  agent: Agent,
  name: string,
  more: Record<string, unknown> = {},
): Promise<Answer> => agent.call('memory_write', fact(name, more))

/** The row of a memory. */
export const rowOf = (house: House, id: string) =>
  house.app.database.db.selectFrom('memories').selectAll().where('id', '=', id).executeTakeFirst()

/** Whether a search of today finds the memory. */
export async function recalls(agent: Agent, query: string, id: string): Promise<boolean> {
  const { hits } = await agent.call('recall', { query, project: 'atlas' })
  return (hits as { id: string }[]).some((hit) => hit.id === id)
}

export const fileOf = (house: House, path: string): Promise<string> =>
  readFile(join(house.dir, path), 'utf8')

/** Changes a file as an editor would. */
export async function byHand(
  house: House,
  path: string,
  change: (text: string) => string,
): Promise<void> {
  await writeFile(join(house.dir, path), change(await fileOf(house, path)))
}
