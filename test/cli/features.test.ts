import { describe, expect, test } from 'vitest'
import { connect } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'
import { startService } from '../helpers/service.ts'

describe('loam features', () => {
  test(
    'switches what the running service offers, and forgets its switches again',
    { timeout: 120_000 },
    async () => {
      await using folder = await openFolder()
      const at = { folder: folder.path }
      await using service = await startService({
        ...at,
        env: { LOAM_FEATURES_MOMENTUM: 'true' },
      })
      const said = async (...args: string[]) => (await loam(['features', ...args], at)).stdout
      const usual = 'research: off\nmomentum: on\ngamification: off\n'
      expect(await said()).toBe(usual)
      expect(await said('on', 'research', 'gamification')).toBe(
        'research: on, by a stored switch\nmomentum: on\ngamification: on, by a stored switch\n',
      )
      expect(await said('off', 'momentum')).toBe(
        'research: on, by a stored switch\nmomentum: off, by a stored switch\n' +
          'gamification: on, by a stored switch\n',
      )
      expect(await said('reset')).toBe(usual)

      expect(await loam(['features', 'on', 'telepathy'], at)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no feature "telepathy"; there are research,') as string,
      })
      expect(await loam(['features', 'on'], at)).toMatchObject({ code: 2 })
      await using agent = await connect(service)
      expect((await agent.tools()).length).toBeGreaterThan(0)
    },
  )
})
