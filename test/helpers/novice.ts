/**
 * An agent that has read tools/list and the instructions and nothing else. It calls wrongly, and mends
 * its call from the words of the error alone: each rule below is a sentence that some error says, and
 * what one does who reads it.
 */
import type { Answer } from './agent.ts'
import type { StatelessWire, Wire } from './wire.ts'

export interface ListedTool {
  name: string
  description: string
  inputSchema: { properties: Record<string, { type: string }>; required: string[] }
}

/** How an agent reaches the tools: what they answer, or the words of the error. */
export interface Reach {
  instructions: string
  tools: ListedTool[]
  call(tool: string, args: object): Promise<{ answer: Answer } | { error: string }>
}

type Args = Record<string, any>

/** What the agent wants: how it first calls, and what it knows of its work, by what things are called. */
export interface Intent {
  tool: string
  args: Args
  knows?: Args
}

interface Attempt {
  tool: string
  args: Args
  knows: Args
}

/** Mends the attempt in place, or the world: then it answers true, and the attempt is made again. */
type Mend = (said: string[], attempt: Attempt, novice: Novice) => void | true | Promise<void | true>

const TRIES = 12

export class Novice {
  readonly #reach: Reach
  /** The errors it has met, as they were said. */
  readonly met: string[] = []
  session = ''

  constructor(reach: Reach) {
    this.#reach = reach
  }

  /** Calls until it is understood. Throws when an error leaves it at a loss. */
  async do({ tool, args, knows = {} }: Intent): Promise<Answer> {
    const attempt: Attempt = { tool, args: structuredClone(args), knows }
    for (let tries = 0; tries < TRIES; tries++) {
      const outcome = await this.#reach.call(attempt.tool, attempt.args)
      if ('answer' in outcome) return outcome.answer
      this.met.push(outcome.error)
      await this.#mend(outcome.error, attempt)
    }
    throw new Error(`at a loss after ${TRIES} tries: ${this.met.at(-1)}`)
  }

  async #mend(error: string, attempt: Attempt): Promise<void> {
    const before = JSON.stringify([attempt.tool, attempt.args])
    for (const [pattern, mend] of RULES) {
      const said = pattern.exec(error)
      if (!said) continue
      const mended = await mend(said as string[], attempt, this)
      if (mended || JSON.stringify([attempt.tool, attempt.args]) !== before) return
    }
    throw new Error(`at a loss: ${error}`)
  }

  /** The tool that is called nearly so. */
  nearest(name: string): string {
    const words = name.split('_')
    const common = (tool: ListedTool): number =>
      tool.name.split('_').filter((word) => words.some((each) => word.startsWith(each.slice(0, 4))))
        .length
    return [...this.#reach.tools].sort((a, b) => common(b) - common(a))[0]!.name
  }

  /** What stands there now, read again. */
  async read(what: string, { id, name }: Args): Promise<Answer> {
    const tool = what === 'memory' ? 'memory_read' : 'notes_read'
    const session = this.#named()
    return this.do({ tool, args: { ...(id ? { id } : { name }), ...session } })
  }

  async find({ query }: Args): Promise<Answer> {
    const { hits } = await this.do({ tool: 'recall', args: { query, ...this.#named() } })
    return hits[0]
  }

  async begin(knows: Args): Promise<string> {
    const { project } = knows
    const args = project === undefined ? {} : { project }
    this.session = (await this.do({ tool: 'session_start', args }))['session_id'] as string
    return this.session
  }

  #named = (): Args => (this.session === '' ? {} : { session: this.session })
}

/** The object that the words before the colon name: `edits[0]: …`, or the arguments themselves. */
function inside({ args }: Attempt, where: string | undefined): Args {
  const [, list, index] = /^(\w+)\[(\d+)\]$/.exec(where ?? '') ?? []
  if (list !== undefined) return args[list][Number(index)] as Args
  return where ? (args[where] as Args) : args
}

const quoted = (text: string): string[] => [...text.matchAll(/"([^"]+)"/g)].map(([, each]) => each!)

const WHERE = String.raw`^\w+: (?:([\w[\]]+): )?`

const RULES: [RegExp, Mend][] = [
  [
    /^tool "(.+)" not found$/,
    ([, name = ''], attempt, novice) => {
      attempt.tool = novice.nearest(name)
    },
  ],
  [
    new RegExp(`${WHERE}unknown parameter "(.+?)"; (?:did you mean "(.+?)"\\? )?`),
    ([, where, name = '', meant], attempt) => {
      const object = inside(attempt, where)
      if (meant) object[meant] ??= object[name]
      delete object[name]
    },
  ],
  [
    /^\w+: conflicting values for "(.+?)" and "(.+?)"; pass one of/,
    ([, , other = ''], { args }) => void delete args[other],
  ],
  [
    /^\w+: missing required: (.+)$/,
    ([, list = ''], { args, knows }) => {
      for (const [, name = '', notes = ''] of list.matchAll(/"(\w+)"(?: \((.*?)\))?(?:, |$)/g)) {
        const [first] = /one of (.+)$/.exec(notes)?.[1]?.split(', ') ?? []
        const alias = quoted(notes).find((each) => each in knows)
        args[name] = knows[name] ?? (alias && knows[alias]) ?? first ?? `some ${name}`
      }
    },
  ],
  [
    new RegExp(`${WHERE}((?:\\w+, )*\\w+) is required$`),
    ([, where, names = ''], attempt) => {
      const object = inside(attempt, where)
      for (const name of names.split(', ')) object[name] ??= attempt.knows[name]
    },
  ],
  [
    /^\w+: (?:the )?(\w+)(?:,? or (?:the )?\w+)* (?:is required|must not be blank)/,
    ([, name = ''], { args, knows }) => {
      if (knows[name] !== undefined) args[name] = knows[name]
    },
  ],
  [
    /^\w+: invalid (\w+) ".*": valid values are (.+)$/,
    ([, name = '', values = ''], { args, knows }) => {
      const all = values.split(', ')
      args[name] = all.includes(knows[name]) ? knows[name] : all[0]
    },
  ],
  [
    /^\w+: invalid ([\w.]+): expected (.+), got (.+)$/,
    ([, path = '', expected = ''], { args, knows }) => {
      const [name = '', inner] = path.split('.')
      const object: Args = inner === undefined ? args : args[name]
      const key = inner ?? name
      const [value] = [knows[key]]
      if (value !== undefined) object[key] = value
      else if (expected === 'a string') object[key] = `some ${key}`
      else if (/number|integer/.test(expected)) object[key] = Math.trunc(Number(object[key])) || 1
      else if (expected === 'true or false') object[key] = true
      else if (/array of objects/.test(expected)) object[key] = [{}]
      else if (/array/.test(expected)) object[key] = ['x']
      else object[key] = {}
    },
  ],
  [
    /^\w+: invalid (\w+): must be (?:[<>]=?) (\d+)$/,
    ([, name = '', bound = ''], { args }) => {
      args[name] = Number(bound)
    },
  ],
  [
    /^\w+: invalid project (slug )?.* did you mean "(.+?)"\?$/,
    ([, slug, meant = ''], { args }) => {
      args[slug ? 'slug' : 'project'] = meant
    },
  ],
  [
    /^\w+: unknown project ".*"; (?:did you mean "(.+?)")?/,
    ([, meant], { args, knows }) => {
      args['project'] = meant ?? knows['project']
    },
  ],
  [
    /^\w+: pass (\w+) or (\w+), not both$/,
    ([, one = '', other = ''], { args, knows }) => void delete args[one in knows ? other : one],
  ],
  [
    /^\w+: ambiguous scope: .*pass project=<slug> or project=global/,
    (_, { args, knows }) => {
      args['project'] = knows['project'] ?? 'global'
    },
  ],
  [
    /^\w+: session: this connection is bound to another session; leave the argument out$/,
    (_, { args }) => {
      delete args['session']
    },
  ],
  [
    /^\w+: (?:session ".*" not found; see session_start|no active session; start one with session_start)/,
    async (_, { args, knows }, novice) => {
      args['session'] = novice.session || (await novice.begin(knows))
    },
  ],
  [
    /^\w+: no (memory|note) .*; (?:try recall|create it with memory_write)/,
    async ([, what = ''], { args, knows }, novice) => {
      const { name } = await novice.find(knows)
      args[what === 'memory' ? 'name' : 'slug'] = name
    },
  ],
  [
    /^\w+: expect_hash .* is stale: its content_hash is \w+; read the (\w+) again$/,
    async ([, what = ''], { args }, novice) => {
      args['expect_hash'] = (await novice.read(what, args))['content_hash']
    },
  ],
  [
    /^(\w+): edits\[(\d+)\]: old_string does not occur; read the text again and copy it exactly$/,
    async ([, tool = '', index = '0'], { args }, novice) => {
      const edit: Args = args['edits'][Number(index)]
      const what = tool.startsWith('memory') ? 'memory' : 'note'
      const { body } = await novice.read(what, args)
      const words = String(edit['old_string']).toLowerCase().split(/\W+/)
      const alike = (line: string): number =>
        words.filter((word) => line.toLowerCase().includes(word)).length
      edit['old_string'] = String(body)
        .split('\n')
        .sort((a, b) => alike(b) - alike(a))[0]
    },
  ],
  [
    /^\w+: edits\[(\d+)\]: old_string is not unique: .* set replace_all$/,
    ([, index = '0'], { args }) => {
      args['edits'][Number(index)].replace_all = true
    },
  ],
  [
    /^\w+: the slug ".*" is taken by another note .*choose another title/,
    (_, { args }) => {
      args['title'] = `${args['title']}, again`
    },
  ],
  [
    /^\w+: memory ".*" was superseded or archived .*memory_read says what replaced it/,
    async (_, { args }, novice) => {
      const { warning } = await novice.read('memory', args)
      args['name'] = /superseded by (?:\S+\/)?(\S+) /.exec(String(warning))?.[1]
    },
  ],
  [
    /^\w+: task not found: (\w+) "/,
    ([, name = ''], { args, knows }) => {
      args[name] = knows[name]
    },
  ],
  [
    /^\w+: task blocked: ".*" waits on (\w+) /,
    ([, blocker = ''], { args }) => {
      args['id'] = blocker
    },
  ],
  [
    /^\w+: task closed: .*; tasks_update status=open would reopen it$/,
    async (_, { args: { id, session } }, novice) => {
      const args = { id, status: 'open', ...(session && { session }) }
      await novice.do({ tool: 'tasks_update', args })
      return true
    },
  ],
  [
    /^\w+: nothing to (?:update|change): pass (.+)$/,
    ([, names = ''], { args, knows }) => {
      const name = names.split(/, | or /).find((each) => each in knows)
      if (name) args[name] = knows[name]
    },
  ],
]

/** Over a connection, as session clients have it. */
export async function reachBySession(wire: Wire, instructions: string): Promise<Reach> {
  return { instructions, ...(await reach((method, params) => wire.ask(method, params))) }
}

/** Without one: every request stands alone. */
export async function reachStateless(wire: StatelessWire): Promise<Reach> {
  const { body } = await wire.ask('server/discover')
  const instructions = body.result.instructions as string
  return { instructions, ...(await reach((method, params) => wire.ask(method, params))) }
}

async function reach(
  ask: (method: string, params?: Record<string, unknown>) => Promise<{ body: any }>,
): Promise<Omit<Reach, 'instructions'>> {
  const { body } = await ask('tools/list')
  return {
    tools: body.result.tools,
    async call(tool, args) {
      const { body } = await ask('tools/call', { name: tool, arguments: args })
      if (body.error) return { error: body.error.message }
      const { isError, content, structuredContent } = body.result
      return isError ? { error: content[0].text } : { answer: structuredContent }
    },
  }
}
