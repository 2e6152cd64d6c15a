/** What each client is given, and in which form. */
import { rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KEY, openHome } from '../../helpers/home.ts'

const NODE = process.execPath
const PROGRAM = join(import.meta.dirname, '../../../bin/loam.mjs')
const QUICK = join(import.meta.dirname, '../../../bin/loam-hook.mjs')
const CLAUDE = '.claude/settings.json'

describe('install-hooks', () => {
  test('gives Claude Code its hooks as programs with whole paths, and none for other tools', async () => {
    await using home = await openHome()
    const { code } = await home.run('install-hooks', '--client', 'claude', '--no-skills')
    expect(code).toBe(0)
    const { hooks } = await home.read(CLAUDE)
    expect(Object.keys(hooks)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'Stop',
      'SessionEnd',
      'PostToolUse',
      'SubagentStart',
      'SubagentStop',
      'PermissionRequest',
    ])
    // Without a matcher, so that a forked session is announced as well.
    expect(hooks.SessionStart).toEqual([
      {
        loam: true,
        hooks: [
          {
            type: 'command',
            command: NODE,
            args: [
              QUICK,
              'hook',
              'session-start',
              '--config',
              home.config,
              '--client',
              'claude-code',
            ],
            timeout: 10,
          },
        ],
      },
    ])
    expect(hooks.UserPromptSubmit[0].hooks[0].timeout).toBe(5)
    // Edits are many; a process starts only for the plans among them.
    const [approvals, edits] = hooks.PostToolUse
    expect(approvals.matcher).toBe('ExitPlanMode')
    expect(edits.hooks.map((each: { if: string }) => each.if)).toEqual([
      'Write(~/.claude/plans/*)',
      'Edit(~/.claude/plans/*)',
    ])
    expect(hooks.PermissionRequest[0].matcher).toBe('ExitPlanMode')
    expect((await home.read('.claude.json')).mcpServers.loam).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:9/api/mcp',
      headersHelper: `'${NODE}' '${QUICK}' mcp-headers --config '${home.config}' --client claude-code`,
    })
  })

  test('gives Codex its hooks as lines for a shell, and tells of its trust', async () => {
    await using home = await openHome()
    const { stdout } = await home.run('install-hooks', '--client', 'cx', '--no-skills')
    const { hooks } = await home.read('.codex/hooks.json')
    expect(Object.keys(hooks)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'Stop',
      'SessionEnd',
      'SubagentStart',
      'SubagentStop',
    ])
    expect(hooks.SessionEnd[0].hooks[0]).toEqual({
      type: 'command',
      command: `'${NODE}' '${QUICK}' hook session-end --config '${home.config}' --client codex`,
      command_windows: `${NODE} ${QUICK} hook session-end --config ${home.config} --client codex`,
      timeout: 3,
    })
    expect(stdout).toContain('only after you have trusted it')
    expect(await home.text('.codex/config.toml')).toBe(
      `[mcp_servers.loam]\ncommand = "${NODE}"\n` +
        `args = ["${PROGRAM}","bridge","--config","${home.config}","--client","codex"]\n`,
    )
  })

  test.each([
    ['gemini', ['SessionStart', 'BeforeAgent', 'AfterAgent', 'SessionEnd'], 10_000],
    [
      'qwen',
      ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd', 'SubagentStart', 'SubagentStop'],
      10,
    ],
  ])('gives %s hooks and server in its settings', async (client, events, timeout) => {
    await using home = await openHome()
    await home.run('install-hooks', '--client', client, '--no-skills', '--allow-tools')
    const { hooks, mcpServers } = await home.read(`.${client}/settings.json`)
    expect(Object.keys(hooks)).toEqual(events)
    expect(hooks.SessionStart[0].hooks[0]).toEqual({
      type: 'command',
      name: 'loam-session-start',
      command: `'${NODE}' '${QUICK}' hook session-start --config '${home.config}' --client ${client}`,
      timeout,
    })
    expect(mcpServers.loam).toEqual({
      command: NODE,
      args: [PROGRAM, 'bridge', '--config', home.config, '--client', client],
      trust: true,
    })
  })

  test('gives Cursor and VS Code their files in the published forms', async () => {
    await using home = await openHome()
    await home.run('install-hooks', '--client', 'cursor,vscode', '--no-skills')
    const args = (client: string) => [
      PROGRAM,
      'bridge',
      '--config',
      home.config,
      '--client',
      client,
    ]
    expect(await home.read('.cursor/mcp.json')).toEqual({
      mcpServers: { loam: { command: NODE, args: args('cursor') } },
    })
    const cursor = await home.read('.cursor/hooks.json')
    expect(cursor.version).toBe(1)
    expect(cursor.hooks.sessionStart).toEqual([
      {
        command: `'${NODE}' '${QUICK}' hook session-start --config '${home.config}' --client cursor`,
        timeout: 10,
      },
    ])
    expect(await home.read('.config/Code/User/mcp.json')).toEqual({
      servers: { loam: { type: 'stdio', command: NODE, args: args('vscode') } },
    })
    const { hooks } = await home.read('.copilot/hooks/loam.json')
    expect(Object.keys(hooks)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'Stop',
      'SubagentStart',
      'SubagentStop',
    ])
  })

  test('gives the desktop app its server beside the others, only when it is asked for', async () => {
    await using home = await openHome()
    const path = '.config/Claude/claude_desktop_config.json'
    await home.write(path, '{"mcpServers":{"other":{"command":"x"}}}')
    await home.write(CLAUDE, '{}')
    await home.run('install-hooks', '--no-skills')
    expect((await home.read(path)).mcpServers).not.toHaveProperty('loam')
    await home.run('install-hooks', '--client', 'desktop')
    expect((await home.read(path)).mcpServers).toEqual({
      other: { command: 'x' },
      loam: {
        command: NODE,
        args: [PROGRAM, 'bridge', '--config', home.config, '--client', 'claude-desktop'],
      },
    })
  })

  test('makes new files for their owner alone, and leaves the mode of others', async () => {
    await using home = await openHome()
    await home.write(CLAUDE, '{}', 0o644)
    await home.run('install-hooks', '--client', 'both', '--no-skills')
    expect((await stat(join(home.folder, CLAUDE))).mode & 0o777).toBe(0o644)
    expect((await stat(join(home.folder, '.codex/hooks.json'))).mode & 0o777).toBe(0o600)
  })

  test('finds the clients that are there, by their folders', async () => {
    await using home = await openHome()
    await home.write('.gemini/GEMINI.md', '')
    await home.write('.qwen/x', '')
    const { stdout } = await home.run('install-hooks', '--no-skills')
    expect(stdout.match(/^[a-z-]+:$/gm)).toEqual(['gemini:', 'qwen:'])
  })

  test('says how the tools are allowed, and allows them only when it is asked to', async () => {
    await using home = await openHome()
    const { stdout } = await home.run('install-hooks', '--client', 'both', '--no-skills')
    expect(stdout).toContain('to allow the tools for good: --allow-tools, or permissions.allow')
    expect(await home.read(CLAUDE)).not.toHaveProperty('permissions')
    await home.run('install-hooks', '--client', 'both', '--no-skills', '--allow-tools')
    expect((await home.read(CLAUDE)).permissions).toEqual({ allow: ['mcp__loam'] })
    expect(await home.text('.codex/config.toml')).toContain(
      'default_tools_approval_mode = "approve"',
    )
  })

  test.each([
    [['--client', 'emacs'], 'no client "emacs"; there are claude, codex, opencode'],
    [['--client', 'desktop', '--no-mcp'], 'has no hooks'],
    [['--client', 'claude', '--url', 'ftp://x'], '--url must be'],
    [[], 'no client found on this machine'],
  ])('refuses %j and says what to do', async (args, message) => {
    await using home = await openHome()
    const { code, stderr } = await home.run('install-hooks', ...args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  test('refuses without a key', async () => {
    await using home = await openHome()
    await home.write('key', '')
    const { code, stderr } = await home.run('install-hooks', '--client', 'claude')
    expect(code).toBe(1)
    expect(stderr).toContain('no key for http://127.0.0.1:9')
  })

  test('installs into the others when the files of one cannot be edited', async () => {
    await using home = await openHome()
    await home.write(CLAUDE, '{ "hooks": ')
    const { code, stderr } = await home.run('install-hooks', '--client', 'both', '--no-skills')
    expect(code).toBe(1)
    expect(stderr).toContain('settings.json is not JSON; mend it, nothing was changed')
    expect(await home.text('.codex/hooks.json')).toContain('session-start')
  })
})

describe('connect', () => {
  test.each([
    ['claude-code', 'claude mcp add-json --scope user loam'],
    ['codex', '[mcp_servers.loam]'],
    ['gemini', '"mcpServers"'],
    ['qwen', '"mcpServers"'],
    ['cursor', '"mcpServers"'],
    ['vscode', '"servers"'],
    ['opencode', '"https://opencode.ai/config.json"'],
    ['claude-desktop', '"mcpServers"'],
    ['other', 'command: '],
  ])('prints what %s needs, and no key', async (client, part) => {
    await using home = await openHome()
    const { code, stdout } = await home.run('connect', client)
    expect(code).toBe(0)
    expect(stdout).toContain(part)
    expect(stdout).toContain(home.config)
    expect(stdout).toContain(NODE)
    expect(stdout).not.toContain(KEY)
  })

  test('names the clients it knows', async () => {
    await using home = await openHome()
    const { code, stderr } = await home.run('connect', 'constructor')
    expect(code).toBe(1)
    expect(stderr).toContain('there are claude-code, codex, gemini, qwen, cursor, vscode, opencode')
  })
})

test('mcp-headers prints what lets a client in', async () => {
  await using home = await openHome()
  const { stdout } = await home.run('mcp-headers')
  expect(JSON.parse(stdout)).toMatchObject({ Authorization: `Bearer ${KEY}` })
})

test('the last uninstallation takes what hooks and bridges kept on the machine, and nothing else', async () => {
  await using home = await openHome()
  const before = await home.tree()
  await home.run('install-hooks', '--client', 'claude,codex', '--no-skills')
  for (const path of ['.local/state/loam/clients/a.json', '.local/state/loam/bridge/b.json'])
    await home.write(path, '{}')
  await home.write('.cache/loam/code/v24/c', 'compiled')
  await home.run('uninstall', '--client', 'codex')
  expect(await home.text('.cache/loam/code/v24/c')).toBe('compiled')
  await home.run('uninstall', '--client', 'claude')
  for (const path of ['.local/state', '.local', '.cache']) await rmdir(join(home.folder, path))
  expect(await home.tree()).toEqual(before)
})
