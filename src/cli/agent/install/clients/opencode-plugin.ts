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
  const [models, parents, fresh, briefings] = [new Map(), new Map(), new Set(), new Map()]
  const rootOf = (id) => (parents.has(id) ? rootOf(parents.get(id)) : id)
  const say = (event, id, more, last) =>
    ask(event, { session_id: rootOf(id), cwd: directory, model: models.get(id), ...more }, last)
  const brief = (id, source) => briefings.set(id, say('session-start', id, { source })).get(id)
  const end = (id) => briefings.delete(id) && !parents.has(id) && say('session-end', id, {}, true)
  return {
    async event({ event: { type, properties } }) {
      const id = properties?.sessionID ?? properties?.info?.id
      if (type === 'session.created') {
        fresh.add(id)
        if (properties.info?.parentID) parents.set(id, properties.info.parentID)
      }
      if (!briefings.has(id)) return
      if (type === 'session.deleted') end(id)
      if (parents.has(id)) return
      if (type === 'session.compacted') await brief(id, 'compact')
      if (type === 'session.idle') await say('stop', id)
    },
    async 'chat.message'({ sessionID: id, model: asked }, { message, parts }) {
      const model = asked ?? message.model
      if (model) models.set(id, \`\${model.providerID}/\${model.modelID}\`)
      const texts = parts.filter((part) => part.type === 'text' && !part.synthetic)
      const prompt = texts.map((part) => part.text).join('\\n')
      const isSubagent = parents.has(id)
      if (isSubagent && !briefings.has(id)) {
        briefings.set(id, say('subagent-start', id, { agent_id: id, prompt }))
        return
      }
      if (!briefings.has(id)) await brief(id, fresh.has(id) ? 'startup' : 'resume')
      const text = await say('user-prompt-submit', id, { prompt, ...(isSubagent && { agent_id: id }) })
      if (text === '' || parts.length === 0) return
      const part = { id: \`\${parts.at(-1).id}0\`, sessionID: id, messageID: message.id }
      parts.push({ ...part, type: 'text', text, synthetic: true })
    },
    async 'experimental.chat.system.transform'({ sessionID: id }, { system }) {
      const briefing = await briefings.get(id)
      if (briefing) system.push(briefing)
    },
    async 'tool.execute.before'({ tool, sessionID: id }, { args }) {
      if (!tool.startsWith('loam_')) return
      args._loam = { client: 'opencode', session: rootOf(id), model: models.get(id) }
    },
    async dispose() {
      for (const id of [...briefings.keys()]) end(id)
    },
  }
}
`
