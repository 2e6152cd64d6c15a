/** The plugin of opencode, as opencode itself would run it, with the real program for hooks and a service. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { type Home, openHome } from '../../helpers/home.ts'
import { openHouse } from '../../helpers/house.ts'

const model = { providerID: 'acme', modelID: 'm1' }

/** The hooks of the plugin that was installed; opencode starts it in the folder of a project. */
async function start(home: Home): Promise<Record<string, (...args: any[]) => Promise<void>>> {
  await home.run('install-hooks', '--client', 'opencode', '--no-skills')
  const path = join(home.folder, '.config/opencode/plugins/loam.js')
  // A module is read once for each address.
  const { Loam } = await import(`${pathToFileURL(path).href}?${home.folder}`)
  return Loam({ directory: home.folder })
}

const prompt = (id: string, text: string) =>
  [
    { sessionID: id, model },
    { message: { id: 'msg_1', model }, parts: [{ id: 'prt_1', type: 'text', text }] as any[] },
  ] as const

test('a session is briefed, known in its calls, and ended', async () => {
  await using house = await openHouse()
  await using home = await openHome(house.url)
  await writeFile(join(home.folder, 'key'), house.key)
  vi.stubEnv('HOME', home.folder)
  const plugin = await start(home)
  await plugin['event']!({
    event: { type: 'session.created', properties: { sessionID: 'ses_1', info: { id: 'ses_1' } } },
  })
  await plugin['chat.message']!(...prompt('ses_1', 'hello'))
  const system: string[] = ['You are opencode']
  await plugin['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
  expect(system).toEqual(['You are opencode', expect.stringContaining('oc/')])

  const agent = await house.connect()
  await agent.call('memory_write', {
    name: 'zebra-crossing',
    kind: 'gotcha',
    description: 'The zebra crossing of the harbour is closed on Mondays',
    body: 'The zebra crossing of the harbour is closed on Mondays.',
    project: 'global',
  })
  const [input, output] = prompt('ses_1', 'When is the zebra crossing of the harbour closed?')
  await plugin['chat.message']!(input, output)
  expect(output.parts.slice(1)).toEqual([
    expect.objectContaining({
      type: 'text',
      synthetic: true,
      messageID: 'msg_1',
      sessionID: 'ses_1',
    }),
  ])
  expect(output.parts[1].text).toContain('zebra-crossing')

  const rows = () =>
    house.app.database.db
      .selectFrom('sessions')
      .select(['external_client', 'client_session_id', 'model', 'status'])
      .where('external_client', '=', 'opencode')
      .execute()
  const session = { external_client: 'opencode', client_session_id: 'ses_1', model: 'acme/m1' }
  expect(await rows()).toEqual([{ ...session, status: 'active' }])

  const args: Record<string, unknown> = { query: 'zebra' }
  await plugin['tool.execute.before']!({ tool: 'loam_recall', sessionID: 'ses_1' }, { args })
  expect(args['_loam']).toEqual({ client: 'opencode', session: 'ses_1', model: 'acme/m1' })
  const others = { args: {} }
  await plugin['tool.execute.before']!({ tool: 'bash', sessionID: 'ses_1' }, others)
  expect(others.args).toEqual({})

  // A subagent speaks for the session that started it.
  const info = { id: 'ses_2', parentID: 'ses_1' }
  await plugin['event']!({ event: { type: 'session.created', properties: { info } } })
  await plugin['chat.message']!(...prompt('ses_2', 'Look at the harbour'))
  const child: Record<string, unknown> = {}
  await plugin['tool.execute.before']!({ tool: 'loam_recall', sessionID: 'ses_2' }, { args: child })
  expect(child['_loam']).toMatchObject({ session: 'ses_1' })

  // Its briefing stands at every turn, and what a later prompt finds comes with that prompt.
  await plugin['event']!({
    event: { type: 'session.created', properties: { info: { id: 'ses_3', parentID: 'ses_1' } } },
  })
  const ask = async (text: string) => {
    const [asked, told] = prompt('ses_3', text)
    await plugin['chat.message']!({ ...asked, model: { ...model, modelID: 'm2' } }, told)
    const system: string[] = []
    await plugin['experimental.chat.system.transform']!({ sessionID: 'ses_3' }, { system })
    return {
      system: system.join(),
      told: told.parts
        .slice(1)
        .map((part) => part.text)
        .join(),
    }
  }
  expect((await ask('Ask when the zebra crossing is open')).system).toContain('zebra-crossing')
  await agent.call('memory_write', {
    name: 'lantern-oil',
    kind: 'gotcha',
    description: 'The lantern of the lighthouse burns whale oil',
    body: 'The lantern of the lighthouse burns whale oil.',
    project: 'global',
  })
  const later = await ask('And what oil does the lantern of the lighthouse burn?')
  expect(later.system).toContain('zebra-crossing')
  expect(later.told).toContain('lantern-oil')
  expect(await rows()).toHaveLength(1)

  await plugin['event']!({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } })
  await plugin['dispose']!()
  await vi.waitFor(
    async () => expect(await rows()).toEqual([{ ...session, status: 'completed' }]),
    {
      timeout: 60_000,
      interval: 100,
    },
  )
  vi.unstubAllEnvs()
})

test('a session goes on without a service', async () => {
  await using home = await openHome()
  vi.stubEnv('HOME', home.folder)
  const plugin = await start(home)
  const [input, output] = prompt('ses_1', 'hello')
  await plugin['chat.message']!(input, output)
  const system: string[] = []
  await plugin['experimental.chat.system.transform']!({ sessionID: 'ses_1' }, { system })
  expect(system).toEqual([expect.stringContaining('Loam')])
  vi.unstubAllEnvs()
})
