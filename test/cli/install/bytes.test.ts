/** What a user has is given back byte for byte. */
import { link, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KEY, openHome } from '../../helpers/home.ts'
import { ODD_JSON, ODD_TOML } from './odd-files.ts'

/** The files of each client, and a folder that says that it is there. */
const FILES: Record<string, string[]> = {
  claude: ['.claude/settings.json', '.claude.json'],
  codex: ['.codex/hooks.json', '.codex/config.toml'],
  opencode: ['.config/opencode/opencode.json'],
  gemini: ['.gemini/settings.json'],
  qwen: ['.qwen/settings.json'],
  cursor: ['.cursor/hooks.json', '.cursor/mcp.json', '.cursor/cli-config.json'],
  vscode: ['.copilot/hooks/loam.json', '.config/Code/User/mcp.json'],
  'claude-desktop': ['.config/Claude/claude_desktop_config.json'],
}

/** What is tried with the files of one kind at once, and what each alone. */
const CASES = Object.entries(FILES).flatMap(([client, files]) =>
  ['.json', '.toml'].flatMap((kind): [string, string[]][] => {
    const alike = files.filter((file) => file.endsWith(kind))
    return alike.length > 0 ? [[client, alike]] : []
  }),
)
const EACH = CASES.flatMap(([client, files]) =>
  files.map((file): [string, string] => [client, file]),
)
const MODES = [0o644, 0o600, 0o640, 0o664, 0o444]

describe.each(CASES)('%s gives back %j', (client, files) => {
  const odd = Object.entries(files[0]!.endsWith('.toml') ? ODD_TOML : ODD_JSON)
  test.each(odd.map(([name, text], at): [string, string, number] => [name, text, at]))(
    'with %s',
    async (_, text, at) => {
      await using home = await openHome()
      for (const file of files) await home.write(file, text, MODES[at % MODES.length])
      const before = await home.tree()
      const install = ['install-hooks', '--client', client, '--no-skills', '--allow-tools']
      expect(await home.run(...install)).toMatchObject({ code: 0 })
      const installed = await home.tree()
      for (const file of files) {
        expect(installed[file]).not.toBe(before[file])
        expect(installed[file]!.slice(0, 4)).toBe(before[file]!.slice(0, 4))
      }
      expect(Object.values(installed).filter((content) => content.includes(KEY))).toHaveLength(1)

      const { stdout } = await home.run(...install)
      expect(stdout).not.toMatch(/: (?:added|updated|adopted|deduped|removed)$/m)
      expect(await home.tree()).toEqual(installed)

      await home.run('uninstall', '--client', client)
      expect(await home.tree()).toEqual(before)
    },
  )
})

describe.each(EACH)('%s gives back %s', (client, file) => {
  test('with no file at all, and no folder', async () => {
    await using home = await openHome()
    const before = await home.tree()
    await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
    expect(Object.keys(await home.tree())).toContain(file)
    await home.run('uninstall', '--client', client)
    expect(await home.tree()).toEqual(before)
  })

  test('behind a link', async () => {
    await using home = await openHome()
    await home.write('dotfiles/real', file.endsWith('.toml') ? 'a = 1\n' : '{\n\t"a": 1\n}', 0o640)
    await mkdir(join(home.folder, file, '..'), { recursive: true })
    await symlink(join(home.folder, 'dotfiles/real'), join(home.folder, file))
    const before = await home.tree()
    await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
    const installed = await home.tree()
    expect(installed['dotfiles/real']).toContain('loam')
    expect(installed[file]).toBe(before[file])
    await home.run('uninstall', '--client', client)
    expect(await home.tree()).toEqual(before)
  })

  test('behind a link that leads to nothing', async () => {
    await using home = await openHome()
    await mkdir(join(home.folder, file, '..'), { recursive: true })
    await symlink('../not-there-yet', join(home.folder, file))
    const before = await home.tree()
    await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
    expect((await home.tree())[file]).toBe(before[file])
    await home.run('uninstall', '--client', client)
    expect(await home.tree()).toEqual(before)
  })

  test('with a second name', async () => {
    await using home = await openHome()
    await home.write(file, '')
    await link(join(home.folder, file), join(home.folder, 'second'))
    const before = await home.tree()
    await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
    expect((await home.tree())['second']).toContain('named twice')
    await home.run('uninstall', '--client', client)
    expect(await home.tree()).toEqual(before)
  })
})

test.each([
  ['text that is no JSON', '.claude/settings.json', '{ "hooks": ', 'is not JSON; mend it'],
  ['a list', '.claude/settings.json', '[]', 'is not a JSON object; mend it'],
  [
    'bytes that are no text',
    '.claude/settings.json',
    Buffer.from([0x7b, 0xff, 0x7d]),
    'is not UTF-8',
  ],
  ['hooks of another form', '.claude/settings.json', '{"hooks": []}', '"hooks" is no object'],
])('changes nothing in %s, and says so', async (_, file, text, message) => {
  await using home = await openHome()
  await home.write(file, text)
  const { code, stderr } = await home.run('install-hooks', '--client', 'claude', '--no-skills')
  expect(code).toBe(1)
  expect(stderr).toContain(message)
  expect((await home.tree())[file]).toBe(`644 ${Buffer.from(text).toString('latin1')}`)
})
