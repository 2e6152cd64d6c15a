/** What `loam doctor` says of the clients of this machine. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, KEY, openHome } from '../../helpers/home.ts'
import { callHook } from '../../helpers/call-hook.ts'
import { runOn } from '../../helpers/in-process.ts'
import { openOperated } from '../../helpers/operator.ts'

const CLAUDE = '.claude/settings.json'

/** The lines about one client, without their name. */
async function doctor(home: Home, client: string): Promise<string[]> {
  const { stdout } = await home.run('doctor')
  const lines = stdout.split('\n').map((line) => line.split(/\s{2,}/))
  return lines.flatMap(([level, about, text]) => (about === client ? [`${level} ${text}`] : []))
}

async function installed(home: Home, ...more: string[]): Promise<void> {
  await home.run('install-hooks', '--client', 'both', '--no-skills', ...more)
}

test('says which clients have nothing of ours, and which have everything', async () => {
  await using home = await openHome()
  await mkdir(join(home.folder, '.gemini'))
  await installed(home)
  expect(await doctor(home, 'gemini')).toEqual([
    'info not installed: loam install-hooks --client gemini',
  ])
  expect(await doctor(home, 'claude')).toEqual([
    'ok hooks and tools are as they should be',
    expect.stringMatching(
      /^info it asks before our tools, or refuses them unattended: permissions/,
    ),
  ])
  expect(await doctor(home, 'codex')).toEqual([
    'ok hooks and tools are as they should be',
    expect.stringMatching(/^info it asks before our tools.*default_tools_approval_mode/),
    'warn no hook was ever trusted, so none runs: open /hooks in Codex once',
  ])
})

test('says which tools are allowed, and which hooks were trusted', async () => {
  await using home = await openHome()
  await installed(home, '--allow-tools')
  const config = await home.text('.codex/config.toml')
  const key = `${join(home.folder, '.codex/hooks.json')}:session_start:0:0`
  await home.write(
    '.codex/config.toml',
    `${config}\n[hooks.state."${key}"]\ntrusted_hash = "sha256:0"\n`,
  )
  expect(await doctor(home, 'claude')).toContain('ok its tools are allowed without a question')
  const codex = await doctor(home, 'codex')
  expect(codex).toContain('ok its tools are allowed without a question')
  expect(codex).toContain('info 1 hooks were trusted; whether as they are now, /hooks shows')
})

test.each<[string, (text: string, home: Home) => string, string]>([
  [
    'a path that is gone',
    (text) => text.replaceAll(/[^"]+\/bin\/loam/g, '/old/checkout/bin/loam'),
    'warn it names /old/checkout/bin/loam-hook.mjs, which is gone; loam install-hooks mends it',
  ],
  [
    'a Node that is gone',
    (text) => text.replaceAll(process.execPath, '/old/node'),
    'warn it names /old/node, which is gone; loam install-hooks mends it',
  ],
  [
    'a configuration that is gone',
    (text) => text.replaceAll('client.yaml', 'other.yaml'),
    'other.yaml, which is gone; loam install-hooks mends it',
  ],
  [
    'a tampered hook',
    (text) => text.replace('"timeout": 5', '"timeout": 500'),
    'warn changed by somebody or by another release: UserPromptSubmit; loam install-hooks mends it',
  ],
  [
    'a hook that is missing',
    (text) => {
      const { hooks, ...rest } = JSON.parse(text)
      delete hooks.Stop
      return JSON.stringify({ ...rest, hooks })
    },
    'warn missing: Stop; loam install-hooks mends it',
  ],
  [
    'a hook that is there twice',
    (text) => {
      const { hooks } = JSON.parse(text)
      return JSON.stringify({ hooks: { ...hooks, Stop: [...hooks.Stop, ...hooks.Stop] } })
    },
    'warn there twice, or not wanted: Stop; loam install-hooks mends it',
  ],
  [
    'a key in plain text',
    (text) => {
      const { hooks } = JSON.parse(text)
      const headers = { Authorization: `Bearer ${KEY}` }
      const url = 'http://127.0.0.1:9/api/hooks/user-prompt-submit'
      const UserPromptSubmit = [{ loam: true, hooks: [{ type: 'http', url, timeout: 5, headers }] }]
      return JSON.stringify({ hooks: { ...hooks, UserPromptSubmit } }, null, 2)
    },
    'settings.json holds a key in plain text; loam install-hooks mends it',
  ],
  ['a file that is broken', (text) => text.slice(1), 'settings.json is not JSON; mend it'],
])('finds %s, and an installation mends it', async (what, change, message) => {
  await using home = await openHome()
  await installed(home)
  await home.write(CLAUDE, change(await home.text(CLAUDE), home))
  expect((await doctor(home, 'claude')).join('\n')).toContain(message)
  if (what === 'a file that is broken') return
  await installed(home)
  expect((await doctor(home, 'claude'))[0]).toBe('ok hooks and tools are as they should be')
})

test('names a server of another kind, and a plugin that was changed', async () => {
  await using home = await openHome()
  await home.run('install-hooks', '--client', 'opencode', '--no-skills')
  const plugin = '.config/opencode/plugins/loam.js'
  await home.write(plugin, `${await home.text(plugin)}// more\n`)
  await home.write(
    '.config/opencode/opencode.json',
    '{"mcp":{"loam":{"type":"local","command":["x"]}}}',
  )
  expect(await doctor(home, 'opencode')).toEqual(
    expect.arrayContaining([
      'warn changed by somebody or by another release: file; loam install-hooks mends it',
      expect.stringMatching(/opencode\.json has something else under our name$/),
    ]),
  )
})

test('says when each hook of a client was last heard', async () => {
  await using operated = await openOperated()
  const { house, folder } = operated
  await mkdir(join(folder, '.claude'))
  await mkdir(join(folder, '.config/loam'), { recursive: true })
  await writeFile(join(folder, 'key'), house.key)
  await writeFile(
    join(folder, '.config/loam/client.yaml'),
    `url: ${house.url}\nkey_file: ${join(folder, 'key')}\n`,
  )
  await runOn(['install-hooks', '--client', 'claude', '--no-skills'], {
    cwd: folder,
    env: { HOME: folder },
  })
  const said = async () => (await operated.loam('doctor')).said.join('\n')
  expect(await said()).toContain('none of its hooks was ever heard')
  await callHook(house, 'session-start', { session_id: 's', cwd: '/x', source: 'startup' })
  await callHook(house, 'user-prompt-submit', { session_id: 's', cwd: '/x', prompt: 'hello there' })
  await house.app.kernel.telemetry.flush()
  expect(await said()).toMatch(/last heard: .*user-prompt-submit \d{4}-\d\d-\d\dT[\d:]+Z/)
  expect(await said()).toMatch(/last heard: .*session-start \d{4}/)
})
