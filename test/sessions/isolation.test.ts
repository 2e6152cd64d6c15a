import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { LEVELS, reads, type Level } from '../helpers/fences.ts'
import { openHouse } from '../helpers/house.ts'

const canary = ({ project }: Level): string => `canary${project || 'world'}quokka`

describe('between projects', () => {
  test('findings and mishaps of a session reach only those who may read where it belongs', async () => {
    await using house = await openHouse()
    const insiders = new Map<string, Agent>()
    for (const place of LEVELS) {
      const agent = await house.inside(place.project, place.isolation)
      const findings = `all about ${canary(place)}`
      await agent.call('session_update', { findings })
      insiders.set(place.project, agent)
    }
    for (const caller of LEVELS) {
      const agent = insiders.get(caller.project)!
      for (const target of LEVELS) {
        const project = target.project || 'global'
        const own = target.project === caller.project
        const ask = [
          await agent.raw('recall', { query: canary(target) }),
          await agent.raw('recall', { query: canary(target), project }),
          await agent.raw('recall', { query: 'all about', project, scope: 'sessions' }),
        ]
        const told = JSON.stringify(ask).includes(`all about ${canary(target)}`)
        expect([caller.project, project, told]).toEqual([
          caller.project,
          project,
          own || reads(caller, target),
        ])
      }
      const fresh = await house.connect()
      const started = await fresh.call('session_start', { project: caller.project || 'global' })
      for (const target of LEVELS) {
        if (reads(caller, target)) continue
        expect(JSON.stringify(started)).not.toContain(canary(target))
      }
    }
  })
})
