import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { hook } from '../helpers/hooks.ts'
import { openHouse } from '../helpers/house.ts'
import { runOn } from '../helpers/in-process.ts'

test('a plan is kept where its client has been told to keep them elsewhere', async () => {
  await using folder = await openFolder()
  await using house = await openHouse()
  const own = join(folder.path, '.claude-work')
  const [plan, other] = [join(own, 'plans/calm-otter.md'), join(folder.path, 'x/plans/no.md')]
  for (const path of [plan, other]) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '# Drain the queue\n')
  }
  const config = join(folder.path, 'client.yaml')
  await writeFile(join(folder.path, 'key'), house.key)
  await writeFile(config, `url: ${house.url}\nkey_file: key\n`)
  const env = { CLAUDE_CONFIG_DIR: own }
  const send = (payload: object) =>
    hook('post-tool-use', payload, { config, home: folder.path, env })
  const plans = () => house.app.database.db.selectFrom('notes').select(['slug', 'tags']).execute()

  await send({ tool_name: 'Write', tool_input: { file_path: other } })
  expect(await plans()).toEqual([])
  await send({ tool_name: 'Write', tool_input: { file_path: plan } })
  expect(await plans()).toEqual([
    { slug: 'cc-plan-calm-otter', tags: expect.arrayContaining(['plan-status:draft']) },
  ])
  await send({ tool_name: 'ExitPlanMode', tool_response: { filePath: plan } })
  expect(await plans()).toEqual([
    { slug: 'cc-plan-calm-otter', tags: expect.arrayContaining(['plan-status:approved']) },
  ])
})

test('an installation names the plans of the folder that it writes into', async () => {
  await using folder = await openFolder()
  const config = join(folder.path, 'client.yaml')
  await writeFile(join(folder.path, 'key'), 'the-key-of-a-service-far-away')
  await writeFile(config, 'url: http://127.0.0.1:9\nkey_file: key\n')
  const own = join(folder.path, '.claude-work')
  const { code } = await runOn(
    ['install-hooks', '--client', 'claude', '--no-skills', '--config', config],
    { cwd: folder.path, env: { HOME: folder.path, CLAUDE_CONFIG_DIR: own } },
  )
  expect(code).toBe(0)
  const settings = await readFile(join(own, 'settings.json'), 'utf8')
  expect(settings).toContain(`"Write(/${own}/plans/*)"`)
  expect(settings).not.toContain('~/.claude')
})
