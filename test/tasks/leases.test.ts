import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import type { Agent } from '../helpers/agent.ts'
import { called, add, row, transitions } from './given.ts'

/**
 * What must be true of one task and its claims, said once more apart from the product. Time is in
 * thousands of seconds; leases end between two of them, so that nothing depends on how fast a run is.
 */
interface Model {
  status: 'open' | 'in_progress' | 'done' | 'dropped'
  /** The number of an agent; -1: nobody. */
  holder: number
  /** Counts claims; 0: there is none. */
  claim: number
  until: number
  now: number
}

const AGENTS = 3
const live = ({ status, holder, until, now }: Model): boolean =>
  status === 'in_progress' && holder >= 0 && until > now
const free = { holder: -1, claim: 0, until: 0 }

type Step =
  | { act: 'claim' | 'release'; agent: number; lease: number; token: 'none' | 'own' | 'other' }
  | { act: 'update'; agent: number; status: Model['status']; token: 'none' | 'own' | 'other' }
  | { act: 'end' | 'owner' | 'sleep'; agent: number }

const agent = fc.nat(AGENTS - 1)
const token = fc.constantFrom('none' as const, 'own' as const, 'other' as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('claim' as const), agent, lease: fc.nat(2), token }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('release' as const), agent, lease: fc.nat(2), token }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('update' as const),
      agent,
      status: fc.constantFrom(
        'open' as const,
        'in_progress' as const,
        'done' as const,
        'dropped' as const,
      ),
      token,
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('sleep' as const), agent }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom('end' as const, 'owner' as const), agent }),
  },
)

/** What the model says of a step: the next state, or the words of a refusal. */
function expected(model: Model, step: Step, passed: number | undefined): Model | string {
  const { act, agent: who } = step
  const stale = passed !== undefined && passed !== model.claim
  if (act === 'sleep') return { ...model, now: model.now + 1 }
  if (act === 'end') return model.holder === who ? { ...model, status: 'open', ...free } : model
  if (act === 'owner') {
    return model.holder >= 0 ? { ...model, status: 'open', ...free } : 'not claimed'
  }
  if (stale) return 'already claimed'
  if (act === 'release') {
    return model.holder === who ? { ...model, status: 'open', ...free } : 'already claimed'
  }
  if (live(model) && model.holder !== who) return 'already claimed'
  if (act === 'update') {
    if (step.status === model.status) return model
    if (step.status === 'in_progress') return { ...model, status: 'in_progress' }
    return { ...model, status: step.status, ...free }
  }
  if (model.status === 'done' || model.status === 'dropped') return 'task closed'
  if (act !== 'claim') return model
  const claim = live(model) ? model.claim : NaN
  return {
    ...model,
    status: 'in_progress',
    holder: who,
    claim,
    until: model.now + step.lease + 0.5,
  }
}

describe('a claim', () => {
  test('holds, passes on and ends exactly as its model says', async () => {
    await using house = await openHouse({ env: { LOAM_SESSIONS_EXPIRE_MINUTES: '1000000' } })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) =>
        follow(house, steps),
      ),
      { numRuns: 25 },
    )
  })
})

async function follow(house: House, steps: readonly Step[]): Promise<void> {
  const agents: Agent[] = []
  const sessions: string[] = []
  /** The tokens that each agent was given, by the number of the claim. */
  const tokens = new Map<number, string>()
  const last: number[] = []
  for (let n = 0; n < AGENTS; n++) {
    const each = await house.connect()
    agents.push(each)
    sessions.push((await each.call('session_start', { project: 'atlas' }))['session_id'])
  }
  const id = await add(agents[0]!, 'A')
  let model: Model = { status: 'open', ...free, now: 0 }
  let claims = 0
  for (const step of steps) {
    const { act, agent: who } = step
    const speaker = agents[who]!
    const passed =
      !('token' in step) || step.token === 'none'
        ? undefined
        : step.token === 'own'
          ? last[who]
          : last[(who + 1) % AGENTS]
    const claim_token = passed === undefined ? undefined : tokens.get(passed)
    const want = expected(model, step, passed)
    let said = ''
    let answer: Record<string, any> = {}
    const call = async (tool: string, args: object): Promise<void> => {
      answer = await speaker
        .call(tool, { id, ...args, ...(claim_token !== undefined && { claim_token }) })
        .catch((error: Error) => ((said = error.message), {}))
    }
    if (act === 'sleep') await house.moveClock(`${(model.now + 1) * 1_000} seconds`)
    else if (act === 'claim') await call('tasks_claim', { lease_seconds: step.lease * 1_000 + 500 })
    else if (act === 'release') await call('tasks_release', {})
    else if (act === 'update') await call('tasks_update', { status: step.status })
    else if (act === 'end') {
      await speaker.call('session_end', { findings: 'over' })
      sessions[who] = (await speaker.call('session_start', { project: 'atlas' }))['session_id']
    } else {
      const reply = await fetch(`${house.url}/console/tasks/${id}/release`, {
        method: 'POST',
        headers: { authorization: `Bearer ${house.key}`, accept: 'application/json' },
      })
      if (!reply.ok) said = await reply.text()
    }

    if (typeof want === 'string') {
      expect(said, JSON.stringify({ step, model })).toContain(want)
    } else {
      expect(said, JSON.stringify({ step, model })).toBe('')
      const renewed = act === 'claim' && !Number.isNaN(want.claim)
      if (act === 'claim') {
        const took = model.status === 'in_progress' && !live(model) && model.holder !== who
        const prior =
          took && model.holder >= 0 ? await called(house, sessions[model.holder]!) : undefined
        expect(answer['prior_holder']).toBe(prior)
        expect(answer['renewed'] ?? false).toBe(renewed)
        if (!renewed) want.claim = ++claims
        const known = tokens.get(want.claim)
        if (known !== undefined) expect(answer['claim_token']).toBe(known)
        else expect([...tokens.values()]).not.toContain(answer['claim_token'])
        tokens.set(want.claim, answer['claim_token'])
        last[who] = want.claim
      }
      model = want
    }
    const stands = await row(house, id)
    expect({
      status: stands.status,
      holder: sessions.indexOf(stands.claimed_by),
      token: stands.claim_token,
    }).toEqual({
      status: model.status,
      holder: model.holder,
      token: model.claim === 0 ? '' : tokens.get(model.claim),
    })
  }
  // The log tells the same story: of each claim by another than before, whose it was.
  const told = await transitions(house, id)
  expect(told.at(-1)?.['to'] ?? 'open').toBe(model.status)
  await house.moveClock('0 seconds')
}
