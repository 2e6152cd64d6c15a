/**
 * The statements that the session keeps as prepared statements.
 *
 * Clients send statements as text each time, as they must through a proxy. On this database parsing
 * and planning take several times as long as running. So a text that comes again is prepared under a
 * name of the session's own, and its messages are rewritten to that name. The client sees no difference.
 */
import * as wire from './wire.ts'

/** Begins the text of a statement whose best plan depends on its parameters: it is planned each time. */
export const PLANNED_ANEW = '/* planned anew */ '

/** As many texts as are known at once. */
const MOST = 150
/** A plan is made again after this time: the tables that it was made for grow. */
const FRESH_MS = 10_000
/** PostgreSQL plans this many runs of a prepared statement for their parameters; then it may keep one plan. */
const PLANNED_FOR_EACH = 5
/** After these a kept plan may answer in another shape, or is gone. */
const CHANGES = /\b(?:create|alter|drop|deallocate|discard)\b/i

interface Plan {
  name: string
  /** Monotonic milliseconds. */
  sinceMs: number
  /** How often it may be run yet. */
  runs: number
}

/** A batch as the session runs it, and how its answer goes to the client. */
export interface Rewritten {
  messages: readonly Buffer[]
  answered(parts: Buffer[]): Buffer[]
}

export class KeptPlans {
  /** By their texts, the one used last at the end; null: seen once. */
  readonly #plans = new Map<string, Plan | null>()
  /** DEALLOCATEs of statements that are no longer kept; they go with the next batch. */
  #closing: Buffer[] = []
  #names = 0

  rewrite(messages: Buffer[]): Rewritten {
    const asked = wire.oneStatement(messages)
    const known = asked && this.#know(asked.key)
    if (!asked || !known) {
      if (messages.some((message) => CHANGES.test(wire.statementOf(message)))) this.#forgetAll()
      return this.#behindGoodbyes(messages, (parts) => parts)
    }
    const { name, fresh } = known
    const [parse, bind, ...rest] = asked.named(name)
    if (!fresh)
      return this.#behindGoodbyes([bind, ...rest], (parts) => [wire.parseComplete, ...parts])
    return this.#behindGoodbyes([parse, bind, ...rest], (parts) => {
      if (wire.typeOf(parts[0] ?? wire.sync) !== '1') this.#plans.delete(asked.key)
      return parts
    })
  }

  /** The name of the statement's plan, and whether it has yet to be made; undefined: not worth one. */
  #know(key: string): { name: string; fresh: boolean } | undefined {
    const now = performance.now()
    const plan = this.#plans.get(key)
    this.#plans.delete(key)
    if (plan === undefined) {
      this.#plans.set(key, null)
      this.#trim()
      return undefined
    }
    if (plan && now - plan.sinceMs < FRESH_MS && plan.runs > 0) {
      this.#plans.set(key, { ...plan, runs: plan.runs - 1 })
      return { name: plan.name, fresh: false }
    }
    if (plan) this.#closing.push(wire.closeStatement(plan.name))
    const name = `loam_${++this.#names}`
    const runs = (key.startsWith(PLANNED_ANEW) ? PLANNED_FOR_EACH : Infinity) - 1
    this.#plans.set(key, { name, sinceMs: now, runs })
    return { name, fresh: true }
  }

  #trim(): void {
    for (const [key, plan] of this.#plans) {
      if (this.#plans.size <= MOST) return
      this.#plans.delete(key)
      if (plan) this.#closing.push(wire.closeStatement(plan.name))
    }
  }

  #forgetAll(): void {
    for (const plan of this.#plans.values()) {
      if (plan) this.#closing.push(wire.closeStatement(plan.name))
    }
    this.#plans.clear()
  }

  #behindGoodbyes(messages: readonly Buffer[], answered: Rewritten['answered']): Rewritten {
    const closing = this.#closing.splice(0)
    if (closing.length === 0) return { messages, answered }
    return {
      messages: [...closing, ...messages],
      answered: (parts) => answered(parts.slice(closing.length)),
    }
  }
}
