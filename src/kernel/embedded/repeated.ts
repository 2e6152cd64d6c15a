/**
 * Statements that come again are kept in the session as they were understood.
 *
 * Clients send unnamed statements, as a proxy may stand before a server, and to read and analyse one
 * takes longer than many a statement itself. Here is one session that belongs to nobody else, so a
 * statement that was seen before is given a name on its way in. It is planned for its parameters each
 * time all the same: one plan for all of them would be a bad one for the largest project.
 */
import * as wire from './wire.ts'

/** Statements that are kept: all that the service has, and then some. */
const MOST = 400
/** Statements that came once and may come again. */
const SEEN = 1_000
/** What is longer has a list written out in it, and never comes again. */
const LONGEST = 20_000

const DATA = ['select', 'with', 'insert', 'update', 'delete']
/** After any statement but these what was understood may be wrong. */
const CHANGES_NO_SCHEMA = new Set(
  (
    ' begin start commit rollback savepoint release set show listen unlisten notify ' +
    'vacuum analyze checkpoint'
  )
    .split(' ')
    .concat(DATA),
)

export interface Repeated {
  /** Runs a batch, each of its statements by the name it has here, if any, and gives back its answer. */
  run(messages: readonly Buffer[]): Buffer
}

export function keepRepeated(execute: (batch: Buffer) => Buffer): Repeated {
  /** Names by what was sent to be read; the one used longest ago comes first. */
  const names = new Map<string, string>()
  const seen = new Set<string>()
  let made = 0
  execute(wire.query('set plan_cache_mode = force_custom_plan'))

  const forget = (text: string): void => {
    execute(Buffer.concat([wire.closeStatement(names.get(text) ?? ''), wire.sync]))
    names.delete(text)
  }

  /** Takes note of a statement. */
  function cameBefore(text: string): boolean {
    if (seen.delete(text)) return true
    const [oldest = text] = seen
    if (seen.size === SEEN) seen.delete(oldest)
    seen.add(text)
    return false
  }

  function runKept(text: string, name: string, rest: readonly Buffer[]): Buffer {
    names.delete(text)
    names.set(text, name)
    return Buffer.concat([wire.parseComplete, execute(Buffer.concat(rest))])
  }

  function runNew(text: string, messages: readonly Buffer[]): Buffer {
    const [oldest = text] = names.keys()
    if (names.size === MOST) forget(oldest)
    const name = `kept_${++made}`
    const [parse, bind, ...rest] = messages as [Buffer, Buffer, ...Buffer[]]
    const sent = [wire.nameParse(parse, name), wire.nameBind(bind, name), ...rest]
    const answer = execute(Buffer.concat(sent))
    if (wire.typeOf(answer) === wire.typeOf(wire.parseComplete)) names.set(text, name)
    return answer
  }

  function run(messages: readonly Buffer[]): Buffer {
    const [parse, bind, ...rest] = messages
    if (parse && bind && keepable(messages)) {
      const text = parse.toString('latin1', 5)
      const name = names.get(text)
      if (name !== undefined) return runKept(text, name, [wire.nameBind(bind, name), ...rest])
      if (cameBefore(text)) return runNew(text, messages)
    }
    const answer = execute(Buffer.concat(messages))
    if (messages.some(changesSchema)) for (const text of [...names.keys()]) forget(text)
    return answer
  }

  return { run }
}

/** One unnamed statement about data, sent as clients do: parse, bind, describe what it answers, execute. */
function keepable(messages: readonly Buffer[]): boolean {
  const [parse, bind, describe] = messages
  if (!parse || !bind || !describe || messages.map(wire.typeOf).join('') !== 'PBDES') return false
  if (parse.length > LONGEST || !wire.unnamed(parse, bind, describe)) return false
  return DATA.includes(wordsOf(wire.statementOf(parse))[0] ?? '')
}

const changesSchema = (message: Buffer): boolean =>
  wordsOf(wire.statementOf(message)).some((word) => !CHANGES_NO_SCHEMA.has(word))

/** By which word each of the statements of a text begins. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((one) => /^\s*(\w*)/.exec(one)?.[1]?.toLowerCase() ?? '')
