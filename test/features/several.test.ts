import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../helpers/database.ts'
import { connect } from '../helpers/agent.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam, startService, type Service } from '../helpers/service.ts'

const server = process.env['LOAM_TEST_DATABASE_URL']
const KEY = 'several-key-0123456789abcdef'

describe.runIf(server)('of two processes on one store', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>
  let env: Record<string, string>
  let services: [Service, Service]

  beforeAll(async () => {
    folder = await openFolder()
    const { url } = await testDatabase()
    env = { LOAM_DATABASE_URL: url!, LOAM_MCP_API_KEY: KEY, LOAM_DATABASE_POOL: '6' }
    const start = () => startService({ folder: folder.path, fresh: true, env })
    services = [await start(), await start()]
  })
  afterAll(async () => {
    await Promise.all(services.map((service) => service[Symbol.asyncDispose]()))
    await folder[Symbol.asyncDispose]()
  })

  test('both offer what one of them was told to, from the next call on, to clients that stand', async () => {
    await using here = await connect(services[0])
    await using there = await connect(services[1])
    const offered = async () => {
      const lists = await Promise.all([here.tools(), there.tools()])
      return lists.map((tools) => tools.some(({ name }) => name === 'trial_record'))
    }
    expect(await offered()).toEqual([false, false])
    for (const [act, on] of [
      ['on', true],
      ['off', false],
    ] as const) {
      const { code } = await loam(['features', act, 'research'], { folder: folder.path, env })
      expect(code).toBe(0)
      expect(await offered()).toEqual([on, on])
      const call = there.raw('trial_record', { lab: 'a', title: 'b', project: 'harbor' })
      if (on) expect((await call).isError ?? false).toBe(false)
      else await expect(call).rejects.toThrow('not found')
    }
  })
})
