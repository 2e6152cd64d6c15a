import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOn } from '../helpers/in-process.ts'
import { openOperated, type Operated } from '../helpers/operator.ts'

/** What a terminal would act on: its title, its colours, its cursor, the direction of its text. */
const EVIL = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\b\u202egnp\u2066\u200f\u061c'
const ACTED_ON = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

let operated: Operated
let ids: { task: string; session: string }
beforeAll(async () => {
  operated = await openOperated()
  const { house } = operated
  const agent = await house.inside('atlas')
  const begun = await agent.call('session_start', { project: 'atlas', name: 'slip' })
  await agent.call('memory_write', {
    ...{ name: 'tide', kind: 'constraint', project: 'atlas' },
    ...{ description: `tide ${EVIL}`, body: `tide ${EVIL}` },
  })
  await agent.call('notes_create', {
    ...{ title: `tide note ${EVIL}`, body: EVIL, project: 'atlas', plan: 'flood' },
  })
  const first = await agent.call('tasks_add', { title: `tide one ${EVIL}`, project: 'atlas' })
  await agent.call('tasks_add', {
    ...{ title: `two ${EVIL}`, body: EVIL, project: 'atlas', depends_on: [first['id']] },
    plan: 'flood',
  })
  await house.app.database.db
    .updateTable('projects')
    .set({ name: EVIL, description: EVIL })
    .execute()
  // Rows of an older version may hold what is refused or tidied today.
  await house.app.database.db
    .updateTable('tasks')
    .set({ title: `t ${EVIL}` })
    .execute()
  await house.app.database.db.updateTable('sessions').set({ findings: EVIL }).execute()
  await house.app.database.db
    .updateTable('notes')
    .set({ title: `n ${EVIL}` })
    .execute()
  ids = { task: String(first['id']), session: String(begun['session_id']) }
})
afterAll(() => operated[Symbol.asyncDispose]())

const AGENT = [
  ['recall', 'tide', '--project', 'atlas'],
  ['ready', '--project', 'atlas', '--blocked'],
  ['task', 'list', '--project', 'atlas'],
  ['task', 'show', '<task>'],
  ['task', 'claim', '<task>', '--session', EVIL],
  ['task', 'start', '<task>'],
  ['task', 'done', EVIL],
  ['sessions'],
  ['sessions', '<session>'],
  ['sessions', EVIL],
  ['prime', '--cwd', '/'],
  ['status'],
  ['usage'],
  ['fav', 'memory', EVIL],
  ['capture', EVIL],
  ['connect', EVIL],
  [EVIL],
  ['task', EVIL],
]

test.each(AGENT)(
  'nothing that a terminal acts on is printed by a command of the agent (%#)',
  async (...words) => {
    const { house, folder } = operated
    const args = words.map((word) =>
      word.replace('<task>', ids.task).replace('<session>', ids.session),
    )
    const env = { HOME: folder, LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
    const { stdout, stderr } = await runOn(args, { cwd: folder, env })
    expect(stdout + stderr).not.toBe('')
    expect(stdout + stderr).not.toMatch(ACTED_ON)
  },
)

const OPERATOR = [
  ['project', 'list'],
  ['project', 'show', 'atlas'],
  ['project', 'retire', EVIL],
  ['plan', 'list'],
  ['plan', 'show', 'flood'],
  ['plan', 'show', EVIL],
  ['family', 'add', 'sea', EVIL],
  ['repos'],
  ['features', 'on', EVIL],
  ['doctor'],
  ['map-repo', '--project', EVIL],
]

test.each(OPERATOR)('nor by one of the operator (%#)', async (...args) => {
  const { said, complained } = await operated.loam(...args)
  expect([...said, complained].join('\n')).not.toBe('')
  expect([...said, complained].join('\n')).not.toMatch(ACTED_ON)
})

test('what hides in a title is seen, and JSON holds the very value', async () => {
  const { house, folder } = operated
  const env = { HOME: folder, LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
  const listed = await runOn(['task', 'list', '--project', 'atlas'], { cwd: folder, env })
  expect(listed.stdout).toContain('t x\\u001b]0;owned\\u0007')
  const shown = await runOn(['task', 'show', ids.task], { cwd: folder, env })
  expect(JSON.parse(shown.stdout)).toMatchObject({ title: `t ${EVIL}` })
})
