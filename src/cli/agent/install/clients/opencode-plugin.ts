/** The plugin that speaks for opencode, which has no hooks that start a program. */

export const MARK_LINE = '// Made by "loam install-hooks", removed by "loam uninstall".'

/**
 * Returns the plugin. `words` start our hook, with EVENT in the place of its name. Within opencode's own
 * process nothing is looked up: each question is one run of our hook, and a failure is no answer.
 */
export const pluginText = (words: readonly string[]): string => `${MARK_LINE}
import { spawn } from 'node:child_process'

const WORDS = ${JSON.stringify(words)}

const ask = (event, payload, last = false) =>
  new Promise((done) => {
    const [program, ...args] = WORDS.map((word) => (word === 'EVENT' ? event : word))
    const stdio = ['pipe', last ? 'ignore' : 'pipe', 'ignore']
    const child = spawn(program, args, { cwd: payload.cwd, stdio, detached: last })
    let said = ''
    child.stdout?.on('data', (part) => (said += part))
    child.stdin.on('error', () => {})
    child.stdin.end(JSON.stringify(payload))
    child.on('error', () => done(''))
    child.on('close', () => {
      try {
        done(JSON.parse(said).hookSpecificOutput?.additionalContext ?? '')
      } catch {
        done('')
      }
    })
    if (last) child.unref()
  })

export const Loam = async ({ directory }) => {
  const [models, parents, fresh, briefings, told] = [new Map(), new Map(), new Set(), new Map(), new Map()]
  const rootOf = (id) => (parents.has(id) ? rootOf(parents.get(id)) : id)
  const say = (event, id, more, last) =>
    ask(event, { session_id: rootOf(id), cwd: directory, model: models.get(id), ...more }, last)
  const brief = (id, source) => briefings.set(id, say('session-start', id, { source })).get(id)
  const begin = (id, prompt) =>
    parents.has(id)
      ? briefings.set(id, say('subagent-start', id, { agent_id: id, prompt }))
      : brief(id, fresh.has(id) ? 'startup' : 'resume')
  return {
    async event({ event: { type, properties } }) {
      const id = properties?.sessionID ?? properties?.info?.id
      if (type === 'session.created') {
        fresh.add(id)
        if (properties.info.parentID) parents.set(id, properties.info.parentID)
      }
      if (!briefings.has(id)) return
      if (type === 'session.compacted' && !parents.has(id)) await brief(id, 'compact')
      if (type === 'session.idle' && !parents.has(id)) await say('stop', id)
      if (type === 'session.deleted' && !parents.has(id)) await say('session-end', id, {}, true)
      if (type === 'session.deleted') for (const each of [briefings, told, models]) each.delete(id)
    },
    async 'chat.message'({ sessionID: id, model }, { parts }) {
      if (model) models.set(id, \`\${model.providerID}/\${model.modelID}\`)
      const texts = parts.filter((part) => part.type === 'text' && !part.synthetic)
      const prompt = texts.map((part) => part.text).join('\\n')
      if (!briefings.has(id)) begin(id, prompt)
      await briefings.get(id)
      if (!parents.has(id)) told.set(id, await say('user-prompt-submit', id, { prompt }))
    },
    async 'experimental.chat.system.transform'({ sessionID: id }, { system }) {
      system.push(...[await briefings.get(id), told.get(id)].filter(Boolean))
    },
    async 'tool.execute.before'({ tool, sessionID: id }, { args }) {
      if (!tool.startsWith('loam_')) return
      args._loam = { client: 'opencode', session: rootOf(id), model: models.get(id) }
    },
  }
}
`
