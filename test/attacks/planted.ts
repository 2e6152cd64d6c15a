/** Payloads in every field that an agent or its client may fill: what the owner's pages are then made of. */
import assert from 'node:assert/strict'
import { connect, type Agent } from '../helpers/agent.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import type { InProcess } from './in-process.ts'

/** Returns how many items were taken. */
export async function plant(
  product: InProcess,
  payloads: readonly string[],
  bodies: readonly string[],
): Promise<number> {
  await using alice = await connect({ url: product.url, key: product.key })
  let taken = 0
  const call = async (agent: Agent, tool: string, args: Record<string, unknown>) => {
    const answer = await agent.raw(tool, args)
    if (!answer.isError) taken++
    return (answer.structuredContent ?? {}) as { id?: string }
  }
  for (const [i, text] of payloads.entries()) {
    const project = `p-${i}`
    await call(alice, 'project_create', { name: `${i} ${text}`, description: text, slug: project })
    await call(alice, 'notes_create', {
      ...{ title: `${i} ${text}`, description: text, tags: [text, `t${i}`], body: text },
      ...{ source_url: text, project },
    })
    await call(alice, 'recall', { query: text, project })
    await call(alice, 'notes_read', { slug: text, project })
    await atWork(product, call, text, i)
    await byHooks(product, text, i)
  }
  for (const [i, body] of bodies.entries()) {
    await call(alice, 'notes_create', { title: `Body ${i}`, body, project: 'atlas' })
    const memory = { name: `body-${i}`, kind: 'reference', description: `Body ${i}`, body }
    await call(alice, 'memory_write', { ...memory, project: 'atlas' })
  }
  assert.ok(taken >= 4 * payloads.length + bodies.length, 'most of it is taken')
  await product.app.kernel.telemetry.flush()
  return taken
}

/** An agent with a session of its own. One of two ends it with findings; the other still holds its claim. */
async function atWork(
  product: InProcess,
  call: (agent: Agent, tool: string, args: Record<string, unknown>) => Promise<{ id?: string }>,
  text: string,
  i: number,
): Promise<void> {
  await using agent = await connect({ url: product.url, key: product.key })
  await call(agent, 'session_start', { name: `s-${i}`, project: 'atlas', model: text.slice(0, 80) })
  await call(agent, 'memory_write', {
    ...{ name: `m-${i}`, kind: 'gotcha', description: text, body: text, tags: [text] },
  })
  await call(agent, 'memory_write', { name: text, kind: 'gotcha', description: text, body: text })
  const task = { title: `${i} ${text}`, body: text, plan: i % 3 === 0 ? `plan-${i}` : undefined }
  const { id } = await call(agent, 'tasks_add', task)
  if (id !== undefined) await call(agent, 'tasks_claim', { id, lease_seconds: 3_600 })
  // A tool that fails in several sessions stands in the inbox with its words.
  await call(agent, 'memory_read', { name: text })
  if (i % 2 === 0) await call(agent, 'session_end', { findings: text, mishaps: [text] })
}

/** What a client tells by itself: the place, the model, the prompt, a plan, a subagent. */
async function byHooks(product: InProcess, text: string, i: number): Promise<void> {
  const place = { session_id: `client-${i}`, cwd: `/src/${text.replaceAll('/', '')}` }
  const hook = (name: string, given: string, more: object = {}) =>
    callHook(product, name, fixture(`claude-code/${given}`, { ...place, ...more }))
  await hook('session-start', 'session-start', { model: text.slice(0, 80) })
  await hook('user-prompt-submit', 'user-prompt-submit', { prompt: text })
  const run = { agent_id: `a${i}`, agent_type: text.slice(0, 60), spawn_prompt: text }
  await hook('subagent-start', 'subagent-start', run)
  await hook('subagent-stop', 'subagent-stop', { ...run, last_assistant_message: text })
  await hook('post-tool-use', 'post-tool-use.write', { plan_file_text: `# ${text}\n\n${text}\n` })
  await hook('permission-request', 'permission-request', { plan: `# ${text}\n\n${text}\n` })
}
