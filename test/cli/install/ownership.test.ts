/** Only what is ours is ever replaced or removed, wherever our program stood when it was written. */
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KEY, openHome } from '../../helpers/home.ts'

const CLAUDE = '.claude/settings.json'
const SERVERS = '.claude.json'
const OLD = '/old/checkout/bin/loam.mjs'
const install = ['install-hooks', '--client', 'claude', '--no-skills']

/** What a release before this one wrote: with the key, without a path of Node, in a checkout that is gone. */
const old = (config: string) => ({
  hooks: {
    SessionStart: [
      {
        loam: true,
        matcher: 'startup|resume|clear|compact',
        hooks: [
          {
            type: 'command',
            command: OLD,
            args: ['hook', 'session-start', '--config', config],
            timeout: 10,
          },
        ],
      },
    ],
    UserPromptSubmit: [
      {
        loam: true,
        hooks: [
          {
            type: 'http',
            url: 'http://127.0.0.1:9/api/hooks/user-prompt-submit',
            timeout: 5,
            headers: { Authorization: `Bearer ${KEY}` },
          },
        ],
      },
    ],
  },
})

describe('what is not ours', () => {
  test.each([
    [
      'an address of another service',
      { type: 'http', url: 'https://ci.example.com/api/hooks/prompt' },
    ],
    ['our path at another address', { type: 'http', url: 'https://ci.example.com/api/hooks/stop' }],
    ['a program of a like name', { type: 'command', command: '/x/my-loam hook stop --config y' }],
    ['a script about us', { type: 'command', command: 'grep "loam hook" ~/.claude/settings.json' }],
    [
      'another program',
      { type: 'command', command: 'check', args: ['hook', 'stop', '--config', 'x'] },
    ],
  ])('stays: %s', async (_, handler) => {
    await using home = await openHome()
    const foreign = { Stop: [{ hooks: [handler] }], Notification: [{ hooks: [handler] }] }
    await home.write(CLAUDE, JSON.stringify({ hooks: foreign }, null, 2))
    await home.run(...install)
    const { hooks } = await home.read(CLAUDE)
    expect(hooks.Stop).toEqual([...foreign.Stop, expect.objectContaining({ loam: true })])
    expect(hooks.Notification).toEqual(foreign.Notification)
    await home.run('uninstall', '--client', 'claude')
    expect((await home.read(CLAUDE)).hooks).toEqual(foreign)
  })

  test.each([
    ['claude', SERVERS, { mcpServers: { loam: { command: '/usr/bin/other' } } }],
    ['gemini', '.gemini/settings.json', { mcpServers: { loam: { httpUrl: 'https://x/api/mcp' } } }],
    [
      'opencode',
      '.config/opencode/opencode.json',
      { mcp: { loam: { type: 'local', command: ['x'] } } },
    ],
  ])('stays: a server of the same name in %s', async (client, path, servers) => {
    await using home = await openHome()
    await home.write(path, JSON.stringify(servers))
    const { stdout } = await home.run('install-hooks', '--client', client, '--no-skills')
    expect(stdout).toContain('mcp: another of this name is there; it was left as it is')
    expect(await home.read(path)).toMatchObject(servers)
    await home.run('uninstall', '--client', client)
    expect(await home.read(path)).toEqual(servers)
  })

  test('stays: a table of the same name in Codex', async () => {
    await using home = await openHome()
    const text = '[mcp_servers.loam]\ncommand = "/usr/bin/other"\n'
    await home.write('.codex/config.toml', text)
    const { stdout } = await home.run('install-hooks', '--client', 'codex', '--no-skills')
    expect(stdout).toContain('mcp: another of this name is there; it was left as it is')
    await home.run('uninstall')
    expect(await home.text('.codex/config.toml')).toBe(text)
  })

  test('stays: a plugin of the same name in opencode', async () => {
    await using home = await openHome()
    await home.write('.config/opencode/plugins/loam.js', 'export {}\n')
    await home.run('install-hooks', '--client', 'opencode', '--no-skills')
    await home.run('uninstall')
    expect(await home.text('.config/opencode/plugins/loam.js')).toBe('export {}\n')
  })

  test('stays: a hook that somebody added to an entry of ours', async () => {
    await using home = await openHome()
    await home.run(...install)
    const settings = await home.read(CLAUDE)
    settings.hooks.Stop[0].hooks.push({ type: 'command', command: 'mine' })
    await home.write(CLAUDE, JSON.stringify(settings))
    await home.run(...install)
    const { hooks } = await home.read(CLAUDE)
    expect(hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: 'mine' }] },
      expect.objectContaining({ loam: true }),
    ])
    await home.run('uninstall')
    expect(await home.read(CLAUDE)).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    })
  })

  test('stays: a rule that the user had already', async () => {
    await using home = await openHome()
    await home.write(CLAUDE, '{"permissions":{"allow":["mcp__loam"]}}')
    await home.run(...install, '--allow-tools')
    await home.write(CLAUDE, JSON.stringify({ ...(await home.read(CLAUDE)), model: 'x' }))
    await home.run('uninstall')
    expect(await home.read(CLAUDE)).toEqual({ permissions: { allow: ['mcp__loam'] }, model: 'x' })
  })
})

describe('what is ours', () => {
  test('is found without its mark, brought up to date, and kept once', async () => {
    await using home = await openHome()
    await home.run(...install)
    const settings = await home.read(CLAUDE)
    delete settings.hooks.SessionStart[0].loam
    settings.hooks.SessionEnd[0].hooks[0].timeout = 3
    settings.hooks.SubagentStop.push(settings.hooks.SubagentStop[0])
    settings.hooks.PreToolUse = [settings.hooks.Stop[0]]
    await home.write(CLAUDE, JSON.stringify(settings, null, 2))
    const { stdout } = await home.run(...install)
    expect(stdout).toContain('SessionStart: adopted')
    expect(stdout).toContain('SessionEnd: updated')
    expect(stdout).toContain('SubagentStop: deduped')
    expect(stdout).toContain('PreToolUse: removed')
    const { hooks } = await home.read(CLAUDE)
    const { PostToolUse, ...others } = hooks
    expect(PostToolUse).toHaveLength(2)
    expect(Object.values(others).map((entries) => (entries as []).length)).toEqual(Array(7).fill(1))
  })

  test('is mended where an older release left it, and the key is in no file any more', async () => {
    await using home = await openHome()
    const before = { model: 'x', hooks: {} }
    await home.write(CLAUDE, JSON.stringify({ ...before, ...old(home.config) }, null, 2))
    await home.write(
      SERVERS,
      JSON.stringify({
        n: 1,
        mcpServers: {
          loam: {
            type: 'http',
            url: 'http://127.0.0.1:9/api/mcp',
            headersHelper: `'${OLD}' mcp-headers --config '${home.config}'`,
          },
        },
      }),
    )
    const { stdout } = await home.run(...install)
    expect(stdout).toContain('SessionStart: updated')
    expect(stdout).toContain('UserPromptSubmit: updated')
    expect(stdout).toContain('mcp: updated')
    const written = (await home.text(CLAUDE)) + (await home.text(SERVERS))
    expect(written).not.toContain(OLD)
    expect(written).not.toContain(KEY)
    // Nor is it kept for a later removal.
    const { '.local/state/loam/installed.json': receipts, ...files } = await home.tree()
    expect(receipts).not.toContain(KEY)
    expect(Object.entries(files).filter(([, text]) => text.includes(KEY))).toHaveLength(1)
    await home.run('uninstall')
    expect(await home.read(CLAUDE)).toEqual({ model: 'x' })
    expect(await home.read(SERVERS)).toEqual({ n: 1, mcpServers: {} })
  })

  test('leaves the bytes of the copy that an older release kept', async () => {
    await using home = await openHome()
    const copy = '\ufeff{\n\t"zebra": 1, // mine\n\t"model": "x",\n\t"hooks": { "Stop": [] }\n}'
    await home.write(`${CLAUDE}.loam-bak-20260101-120000`, copy)
    await home.write(`${CLAUDE}.loam-bak-mine`, 'mine')
    const sorted = { hooks: old(home.config).hooks, model: 'x', zebra: 1 }
    await home.write(CLAUDE, JSON.stringify(sorted, null, 2))
    await home.run(...install)
    await home.run('uninstall')
    const left = Object.entries(await home.tree()).filter(([path]) => path.startsWith('.claude/'))
    expect(left).toEqual([
      [CLAUDE, `644 ${Buffer.from(copy).toString('latin1')}`],
      [`${CLAUDE}.loam-bak-mine`, '644 mine'],
    ])
  })

  test('is taken out where an older release left it, without an installation before', async () => {
    await using home = await openHome()
    await home.write(CLAUDE, JSON.stringify({ model: 'x', ...old(home.config) }, null, 4))
    await home.run('uninstall')
    expect(await home.text(CLAUDE)).toBe('{\n    "model": "x"\n}')
  })

  test.each([
    'claude',
    'codex',
    'opencode',
    'gemini',
    'qwen',
    'cursor',
    'vscode',
    'claude-desktop',
  ])(
    'follows a checkout that was moved, in %s, beside what was written meanwhile',
    async (client) => {
      await using home = await openHome()
      const files: Record<string, string> = {
        claude: SERVERS,
        codex: '.codex/config.toml',
        opencode: '.config/opencode/opencode.json',
        gemini: '.gemini/settings.json',
        qwen: '.qwen/settings.json',
        cursor: '.cursor/mcp.json',
        vscode: '.config/Code/User/mcp.json',
        'claude-desktop': '.config/Claude/claude_desktop_config.json',
      }
      const file = files[client]!
      const isToml = file.endsWith('.toml')
      const user = isToml ? '# mine\nmodel = "x"\n' : '{\n    // mine\n    "model": "x"\n}\n'
      await home.write(file, user)
      await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
      const current = await home.tree()
      for (const [path, text] of Object.entries(current)) {
        if (!/loam(?:-hook)?\.mjs/.test(text) || path.startsWith('.local')) continue
        const moved = (await home.text(path))
          .replaceAll(join(import.meta.dirname, '../../..'), '/old/checkout')
          .replace(user.trimEnd(), user.trimEnd().replace('"x"', '"y"'))
        await home.write(path, moved.replace('"model": "x"', '"model": "y"'))
      }
      const { stdout } = await home.run('install-hooks', '--client', client, '--no-skills')
      expect(stdout).toMatch(/: updated$/m)
      const mended = Object.entries(await home.tree()).filter(
        ([path]) => !path.startsWith('.local'),
      )
      expect(mended.filter(([, text]) => text.includes('/old/checkout'))).toEqual([])
      await home.run('uninstall', '--client', client)
      const { [file]: left, ...rest } = await home.tree()
      expect(left).toBe(`644 ${user.replace('"x"', '"y"')}`)
      expect(Object.values(rest).filter((text) => /loam(?:-hook)?\.mjs/.test(text))).toEqual([])
    },
  )

  test('goes from a file that the client has written anew', async () => {
    await using home = await openHome()
    await home.write(SERVERS, '{\n  "numStartups": 1\n}')
    await home.run(...install)
    const rewritten = { ...(await home.read(SERVERS)), numStartups: 2, projects: {} }
    await home.write(SERVERS, JSON.stringify(rewritten, null, 4))
    await home.run('uninstall')
    expect(await home.text(SERVERS)).toBe('{\n    "numStartups": 2,\n    "projects": {}\n}')
  })

  test('keeps what the user put beside it in our server', async () => {
    await using home = await openHome()
    const codex = ['install-hooks', '--client', 'codex', '--no-skills']
    await home.run(...codex)
    const text = await home.text('.codex/config.toml')
    const own =
      'enabled = false # for now\n\n[mcp_servers.loam.tools.memory_write]\napproval_mode = "approve"\n'
    await home.write('.codex/config.toml', `${text.replaceAll('/bin/loam', '/old/loam')}${own}`)
    await home.run(...codex)
    expect(await home.text('.codex/config.toml')).toBe(`${text}${own}`)
    await home.run('uninstall')
    expect(Object.keys(await home.tree())).not.toContain('.codex/config.toml')
  })

  test('is only named, when it is asked so', async () => {
    await using home = await openHome()
    await home.run(...install)
    const before = await home.tree()
    const { stdout } = await home.run('uninstall', '--client', 'claude', '--dry-run')
    expect(stdout).toContain('would remove: SessionStart, UserPromptSubmit, Stop')
    expect(await home.tree()).toEqual(before)
  })

  test('is not there the second time', async () => {
    await using home = await openHome()
    await home.run('install-hooks', '--client', 'both', '--no-skills')
    await home.run('uninstall')
    const { code, stdout } = await home.run('uninstall')
    expect(code).toBe(0)
    expect(stdout.match(/removed: nothing/g)).toHaveLength(8)
  })

  test('keeps its servers with --no-mcp', async () => {
    await using home = await openHome()
    await home.run('install-hooks', '--client', 'gemini', '--no-skills')
    await home.run('uninstall', '--no-mcp')
    expect(Object.keys(await home.read('.gemini/settings.json'))).toEqual(['mcpServers'])
    await home.run('uninstall')
    expect(Object.keys(await home.tree())).not.toContain('.gemini')
  })

  test.skipIf(process.getuid?.() === 0)('is not written into a folder that is closed', async () => {
    await using home = await openHome()
    await home.write(CLAUDE, '{}')
    await chmod(join(home.folder, '.claude'), 0o500)
    const { code, stderr } = await home.run(...install)
    await chmod(join(home.folder, '.claude'), 0o700)
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be used (EACCES); nothing was changed')
  })
})
