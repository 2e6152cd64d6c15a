/** What `install-hooks --url` leaves in the client file of the user. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY, openHome } from '../../helpers/home.ts'
import { openHookService } from '../../helpers/hooks.ts'
import { runOn } from '../../helpers/in-process.ts'

test('keeps an address that it is given, for every command of the client', async () => {
  await using home = await openHome()
  await home.run(
    'install-hooks',
    '--client',
    'claude',
    '--no-skills',
    '--url',
    'https://loam.example',
  )
  expect((await home.read('.claude.json')).mcpServers.loam.url).toBe('https://loam.example/api/mcp')
  expect((await home.run('connect', 'claude-code')).stdout).toContain(
    'https://loam.example/api/mcp',
  )
})

test('brings the key of a store on this machine to no other address', async () => {
  await using service = await openHookService()
  await using home = await openHome()
  const key_file = join(home.folder, 'store/api-key')
  await home.write('store/.loam-store', '01K9ZC4T7Q8V2M5N6P3R1S0WXY\n')
  await home.write('store/api-key', KEY)
  await home.write('store/client.yaml', `url: https://loam.example\nkey_file: ${key_file}\n`)
  const file = '.config/loam/client.yaml'
  for (const place of ['', `data_dir: ${join(home.folder, 'store')}\n`]) {
    const text = `url: http://127.0.0.1:9\nkey_file: ${key_file}\n${place}`
    await home.write(file, text)
    const words = ['install-hooks', '--client', 'claude', '--no-skills', '--url']
    const { code, stderr } = await home.run(...words, service.url)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `loam: ${service.url} is not the address of the store ${join(home.folder, 'store')}, so it does not get ` +
        'the key of that store. For the store, set its base_url and start it again; for another service, ' +
        `put url and key_file of its own into ${home.config}\n`,
    })
    expect(await home.text(file)).toBe(text)
    // Another address of the same store, as its last start left it.
    expect((await home.run(...words, 'https://loam.example/')).code).toBe(0)
    expect(await home.text(file)).toBe(text.replace('http://127.0.0.1:9', 'https://loam.example/'))
  }
  expect(service.posted).toEqual([])
  // With a key for that service nothing leads to the store any more.
  const env = { HOME: home.folder, LOAM_MCP_API_KEY: 'a-key-for-the-other-service' }
  const line = ['install-hooks', '--client', 'claude', '--no-skills', '--url', service.url]
  expect((await runOn(line, { cwd: home.folder, env })).code).toBe(0)
  expect(await home.text(file)).toBe(`url: ${service.url}\n`)
})

test('refuses a client file that cannot be read, and leaves it as it is', async () => {
  await using home = await openHome()
  const text = 'url: http://127.0.0.1:8420\n  key_file: [\n'
  await home.write('.config/loam/client.yaml', text)
  const url = ['--url', 'https://loam.example']
  const { code, stderr } = await home.run('install-hooks', '--client', 'codex', ...url)
  expect(code).toBe(1)
  expect(stderr).toMatch(/client\.yaml: line \d+, column \d+ is not valid YAML/)
  expect(stderr).not.toContain('internal error')
  expect(await home.text('.config/loam/client.yaml')).toBe(text)
})

test.each(['127.0.0.1:8420', '42', '"http://"'])(
  'refuses a client file whose address is none, in words: %s',
  async (address) => {
    await using home = await openHome()
    const own = `key_file: ${join(home.folder, 'key')}\n`
    const url = ['--url', 'https://loam.example']
    await home.write('.config/loam/client.yaml', `url: ${address}\n${own}`)
    const ran = await home.run('install-hooks', '--client', 'codex', '--no-skills', ...url)
    expect(ran).toMatchObject({
      code: 1,
      stderr: `loam: ${home.config}: url must be an http:// or https:// address\n`,
    })
    // The file beside the data may be as wrong.
    await home.write('store/client.yaml', `url: ${address}\n`)
    await home.write('.config/loam/client.yaml', `${own}data_dir: ${join(home.folder, 'store')}\n`)
    const away = await home.run('install-hooks', '--client', 'codex', '--no-skills', ...url)
    expect(away.stderr).toContain('https://loam.example is not the address of the store')
  },
)
