import { describe, expect, test } from 'vitest'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'aB3d'.repeat(10)}`
const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)

const PLAN = `# Deploy with ${TOKEN}\n\n1. Use ${TOKEN}.\n`
const WRITE = fixture('claude-code/post-tool-use.write', REPO)

/** Every hook that keeps what it is told, with a credential in all of that. */
const TOLD: [hook: string, payload: object][] = [
  [
    'post-tool-use',
    {
      ...WRITE,
      tool_input: { ...(WRITE['tool_input'] as object), content: PLAN },
    },
  ],
  ['post-tool-use', { ...WRITE, plan_file_text: PLAN }],
  [
    'post-tool-use',
    {
      ...REPO,
      session_id: 'other',
      cwd: REPO.repo_root,
      tool_name: 'ExitPlanMode',
      tool_input: { plan: PLAN },
    },
  ],
  [
    'subagent-stop',
    fixture('claude-code/subagent-stop', {
      ...REPO,
      permission_mode: 'plan',
      agent_type: `explore ${TOKEN}`,
      spawn_prompt: `Look for ${TOKEN}`,
      report: `Found ${TOKEN}`,
      model: TOKEN,
    }),
  ],
  [
    'stop',
    fixture('claude-code/stop', {
      ...REPO,
      last_assistant_message: `I deployed the service with ${TOKEN} twice.`,
    }),
  ],
  [
    'session-end',
    fixture('claude-code/session-end', {
      findings: `The deploy of the service needs ${TOKEN} and a restart.`,
      reason: TOKEN,
    }),
  ],
]

/** All that is kept of what was told, and all that the next agent is told of it. */
async function keptIn(house: House): Promise<string> {
  const { db } = house.app.database
  await house.app.kernel.telemetry.flush()
  const kept = await Promise.all([
    db.selectFrom('notes').selectAll().execute(),
    db.selectFrom('sessions').selectAll().execute(),
    db.selectFrom('tasks').selectAll().execute(),
    db.selectFrom('passages').selectAll().execute(),
    db.selectFrom('events').selectAll().execute(),
  ])
  const bob = await house.connect('bob')
  const { briefing } = await bob.call('session_start', { name: 'bob', project: 'orders' })
  const { hits } = await bob.call('recall', { query: 'deploy', project: 'orders' })
  return JSON.stringify([kept, briefing, hits])
}

async function tell(house: House): Promise<void> {
  await callHook(house, 'session-start', START)
  for (const [hook, payload] of TOLD) {
    const { status, body } = await callHook(house, hook, payload)
    expect([hook, status, body.systemMessage]).toEqual([hook, 200, undefined])
  }
}

describe('what looks like a credential in what hooks report', () => {
  test.each(['warn', 'refuse'])('is masked and told to nobody under %s', async (on_write) => {
    await using house = await openHouse({ env: { LOAM_SECRETS_ON_WRITE: on_write } })
    await tell(house)
    const kept = await keptIn(house)
    expect(kept.toLowerCase()).not.toContain('ab3dab3d')
    expect(kept).toContain('Use [secret].')
    expect(kept).toContain('Found [secret]')
    expect(kept).toContain('The deploy of the service needs [secret] and a restart.')
  })

  test('is kept as it stands when the owner wants nothing done', async () => {
    await using house = await openHouse({ env: { LOAM_SECRETS_ON_WRITE: 'off' } })
    await tell(house)
    const kept = await keptIn(house)
    expect(kept).toContain(`Found ${TOKEN}`)
    expect(kept).toContain(`The deploy of the service needs ${TOKEN} and a restart.`)
  })
})
