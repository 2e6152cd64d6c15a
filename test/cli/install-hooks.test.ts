import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { type Ran, runOn } from '../helpers/in-process.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/loam.mjs')
const KEY = 'the-key-of-a-service-far-away-indeed'

/** A home of somebody who works with agents, and a PATH with nothing on it but what the test puts there. */
async function home(folder: string) {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  await mkdir(join(folder, '.config/loam'), { recursive: true })
  await writeFile(join(folder, 'key'), KEY)
  const config = join(folder, '.config/loam/client.yaml')
  await writeFile(config, `url: http://127.0.0.1:9\nkey_file: ${join(folder, 'key')}\n`)
  const env = { HOME: folder, PATH: `${bin}:${dirname(process.execPath)}` }
  const run = (...args: string[]): Promise<Ran> => runOn(args, { cwd: folder, env })
  const read = async (path: string): Promise<Record<string, any>> =>
    JSON.parse(await readFile(join(folder, path), 'utf8'))
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  /** A client's own program that keeps what it was started with, and answers `known` when asked. */
  const stub = async (name: string, known = ''): Promise<() => Promise<string[]>> => {
    const log = join(folder, `${name}.log`)
    await writeFile(log, '')
    const lines = [
      '#!/bin/sh',
      `printf '%s\\n' "$*" >> '${log}'`,
      `case "$2" in get) ${known === '' ? 'exit 1' : `printf '%s' '${known}'`} ;; esac`,
    ]
    await writeFile(join(bin, name), `${lines.join('\n')}\n`, { mode: 0o755 })
    return async () => (await readFile(log, 'utf8')).trim().split('\n')
  }
  return { run, read, write, stub, config, folder }
}

const CLAUDE = '.claude/settings.json'
const CODEX = '.codex/hooks.json'

describe('install-hooks', () => {
  test('gives Claude Code its seven events, each answered in the way that works there', async () => {
    await using folder = await openFolder()
    const { run, read, config } = await home(folder.path)
    const { code } = await run('install-hooks', '--client', 'claude', '--no-skills')
    expect(code).toBe(0)
    const { hooks } = await read(CLAUDE)
    expect(Object.keys(hooks)).toEqual([
      'PermissionRequest',
      'PostToolUse',
      'SessionEnd',
      'SessionStart',
      'SubagentStart',
      'SubagentStop',
      'UserPromptSubmit',
    ])
    expect(hooks.SessionStart).toEqual([
      {
        loam: true,
        matcher: 'startup|resume|clear|compact',
        hooks: [
          {
            type: 'command',
            command: PROGRAM,
            args: ['hook', 'session-start', '--config', config],
            timeout: 10,
          },
        ],
      },
    ])
    expect(hooks.UserPromptSubmit[0].hooks).toEqual([
      {
        type: 'http',
        url: 'http://127.0.0.1:9/api/hooks/user-prompt-submit',
        timeout: 5,
        headers: { Authorization: `Bearer ${KEY}` },
      },
    ])
    expect(hooks.PostToolUse[0].matcher).toBe('Write|Edit|MultiEdit|ExitPlanMode')
    expect((await stat(join(folder.path, CLAUDE))).mode & 0o777).toBe(0o600)
  })

  test('gives Codex its five events as lines for a shell, and tells of its trust', async () => {
    await using folder = await openFolder()
    const { run, read, config } = await home(folder.path)
    const { stdout } = await run('install-hooks', '--client', 'cx', '--no-skills')
    const { hooks } = await read(CODEX)
    expect(Object.keys(hooks)).toEqual([
      'SessionStart',
      'Stop',
      'SubagentStart',
      'SubagentStop',
      'UserPromptSubmit',
    ])
    expect(hooks.Stop[0].hooks[0]).toEqual({
      type: 'command',
      command: `'${PROGRAM}' hook stop --config '${config}' --client codex`,
      command_windows: `${PROGRAM} hook stop --config ${config} --client codex`,
      timeout: 10,
    })
    expect(stdout).toContain('only after you have trusted it')
    expect(stdout).not.toContain(KEY)
  })

  test('changes nothing the second time, and keeps the first file once', async () => {
    await using folder = await openFolder()
    const { run, write, folder: at } = await home(folder.path)
    await write(CLAUDE, '\ufeff{"model": "x"}')
    await run('install-hooks', '--client', 'claude', '--no-skills')
    const first = await readFile(join(at, CLAUDE), 'utf8')
    const { stdout } = await run('install-hooks', '--client', 'claude', '--no-skills')
    expect(await readFile(join(at, CLAUDE), 'utf8')).toBe(first)
    expect(stdout.match(/: unchanged$/gm)).toHaveLength(7)
    await write(CLAUDE, '{}')
    await run('install-hooks', '--client', 'claude', '--no-skills')
    const kept = (await readdir(join(at, '.claude'))).filter((name) => name.includes('.loam-bak-'))
    expect(kept).toEqual([expect.stringMatching(/^settings\.json\.loam-bak-\d{8}-\d{6}$/)])
    expect(await readFile(join(at, '.claude', kept[0]!), 'utf8')).toBe('\ufeff{"model": "x"}')
  })

  test('leaves what others wrote as it is, wherever it stands', async () => {
    await using folder = await openFolder()
    const { run, read, write } = await home(folder.path)
    const foreign = { matcher: 'Bash', hooks: [{ type: 'command', command: 'check' }], note: 1 }
    const twice = {
      hooks: [
        { type: 'command', command: '/x/loam.mjs hook stop' },
        { type: 'command', command: 'more' },
      ],
    }
    await write(
      CLAUDE,
      JSON.stringify({
        zebra: { b: 1, a: 2 },
        hooks: { PostToolUse: [foreign], Notification: [twice] },
      }),
    )
    await run('install-hooks', '--client', 'claude', '--no-skills')
    const { hooks, zebra } = await read(CLAUDE)
    expect(zebra).toEqual({ b: 1, a: 2 })
    expect(hooks.PostToolUse[0]).toEqual(foreign)
    expect(hooks.PostToolUse).toHaveLength(2)
    expect(hooks.Notification).toEqual([twice])

    await run('uninstall', '--client', 'claude')
    expect((await read(CLAUDE)).hooks).toEqual({ PostToolUse: [foreign], Notification: [twice] })
  })

  test('brings an older entry of ours up to date, adopts one without its mark, and drops a second one', async () => {
    await using folder = await openFolder()
    const { run, read, write, config } = await home(folder.path)
    const command = (event: string, timeout: number) => ({
      type: 'command',
      command: PROGRAM,
      args: ['hook', event, '--config', config],
      timeout,
    })
    const starts = 'startup|resume|clear|compact'
    await write(
      CLAUDE,
      JSON.stringify({
        hooks: {
          SessionStart: [{ matcher: starts, hooks: [command('session-start', 10)] }],
          SessionEnd: [{ loam: true, hooks: [command('session-end', 3)] }],
          SubagentStop: [
            { loam: true, hooks: [command('subagent-stop', 10)] },
            { loam: true, hooks: [command('subagent-stop', 10)] },
          ],
          Stop: [{ loam: true, hooks: [command('stop', 10)] }],
        },
      }),
    )
    const { stdout } = await run('install-hooks', '--client', 'claude', '--no-skills')
    expect(stdout).toContain('SessionStart: adopted')
    expect(stdout).toContain('SessionEnd: updated')
    expect(stdout).toContain('SubagentStop: deduped')
    expect(stdout).toContain('Stop: removed')
    const { hooks } = await read(CLAUDE)
    expect(
      [hooks.SessionStart, hooks.SessionEnd, hooks.SubagentStop].map(({ length }) => length),
    ).toEqual([1, 1, 1])
    expect(hooks.Stop).toBeUndefined()
  })

  test('changes nothing in a file that is no JSON', async () => {
    await using folder = await openFolder()
    const { run, write, folder: at } = await home(folder.path)
    await write(CLAUDE, '{ "hooks": ')
    const { code, stderr } = await run('install-hooks', '--client', 'claude', '--no-skills')
    expect(code).toBe(1)
    expect(stderr).toContain('settings.json is not JSON; mend it, nothing was changed')
    expect(await readFile(join(at, CLAUDE), 'utf8')).toBe('{ "hooks": ')
  })

  test('writes through a link to where the settings are', async () => {
    await using folder = await openFolder()
    const { run, write, folder: at } = await home(folder.path)
    await write('dotfiles/settings.json', '{}')
    await mkdir(join(at, '.claude'))
    await symlink(join(at, 'dotfiles/settings.json'), join(at, CLAUDE))
    await run('install-hooks', '--client', 'claude', '--no-skills')
    expect(await readFile(join(at, 'dotfiles/settings.json'), 'utf8')).toContain('session-start')
  })

  test('registers the tools through the client itself, without the key', async () => {
    await using folder = await openFolder()
    const { run, stub, config } = await home(folder.path)
    const [claude, codex] = [await stub('claude'), await stub('codex')]
    const { stdout } = await run('install-hooks', '--client', 'both', '--no-skills')
    expect(stdout.match(/mcp: added/g)).toHaveLength(2)
    const [get, add] = await claude()
    expect(get).toBe('mcp get loam')
    expect(add).toContain(
      'mcp add-json --scope user loam {"type":"http","url":"http://127.0.0.1:9/api/mcp"',
    )
    expect(add).not.toContain(KEY)
    expect((await codex()).at(-1)).toBe(`mcp add loam -- ${PROGRAM} bridge --config ${config}`)
  })

  test('leaves a server of the same name alone that is somebody else’s', async () => {
    await using folder = await openFolder()
    const { run, stub } = await home(folder.path)
    const codex = await stub('codex', '{"command":"/usr/bin/other"}')
    const { stdout } = await run('install-hooks', '--client', 'codex', '--no-skills')
    expect(stdout).toContain('is registered already; it was left as it is')
    expect(await codex()).toEqual(['mcp get loam --json'])
  })

  test('puts the desktop app’s server beside the others, only when it is asked for', async () => {
    await using folder = await openFolder()
    const { run, read, write, config } = await home(folder.path)
    const path = '.config/Claude/claude_desktop_config.json'
    await write(path, '{"mcpServers":{"other":{"command":"x"}}}')
    await write(CLAUDE, '{}')
    await run('install-hooks', '--no-skills')
    expect((await read(path)).mcpServers).not.toHaveProperty('loam')
    await run('install-hooks', '--client', 'desktop')
    expect((await read(path)).mcpServers).toEqual({
      other: { command: 'x' },
      loam: { command: PROGRAM, args: ['bridge', '--config', config] },
    })
    await run('uninstall')
    expect((await read(path)).mcpServers).toEqual({ other: { command: 'x' } })
  })

  test('keeps an address that it is given, for every command of the client', async () => {
    await using folder = await openFolder()
    const { run, read } = await home(folder.path)
    await run('install-hooks', '--client', 'claude', '--no-skills', '--url', 'https://loam.example')
    expect((await read(CLAUDE)).hooks.UserPromptSubmit[0].hooks[0].url).toBe(
      'https://loam.example/api/hooks/user-prompt-submit',
    )
    expect((await run('connect', 'claude-code')).stdout).toContain('https://loam.example/api/mcp')
  })

  test.each([
    [['--client', 'emacs'], 'no client "emacs"; there are claude, codex'],
    [['--client', 'desktop', '--no-mcp'], 'has no hooks'],
    [['--client', 'claude', '--url', 'ftp://x'], '--url must be'],
    [[], 'no client found on this machine'],
  ])('refuses %j and says what to do', async (args, message) => {
    await using folder = await openFolder()
    const { code, stderr } = await (await home(folder.path)).run('install-hooks', ...args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })

  test('refuses without a key', async () => {
    await using folder = await openFolder()
    const { run, folder: at } = await home(folder.path)
    await writeFile(join(at, 'key'), '')
    const { code, stderr } = await run('install-hooks', '--client', 'claude')
    expect(code).toBe(1)
    expect(stderr).toContain('no key for http://127.0.0.1:9')
  })
})

describe('uninstall', () => {
  test('says what it would do and does nothing, when it is asked so', async () => {
    await using folder = await openFolder()
    const { run, folder: at } = await home(folder.path)
    await run('install-hooks', '--client', 'claude', '--no-skills')
    const before = await readFile(join(at, CLAUDE), 'utf8')
    const { stdout } = await run('uninstall', '--client', 'claude', '--dry-run')
    expect(stdout).toContain('would remove: PermissionRequest, PostToolUse, SessionEnd')
    expect(await readFile(join(at, CLAUDE), 'utf8')).toBe(before)
  })

  test('finds nothing the second time', async () => {
    await using folder = await openFolder()
    const { run } = await home(folder.path)
    await run('install-hooks', '--client', 'both', '--no-skills')
    await run('uninstall')
    const { code, stdout } = await run('uninstall')
    expect(code).toBe(0)
    expect(stdout.match(/hooks: none/g)).toHaveLength(2)
  })
})

describe('connect', () => {
  test.each([
    ['claude-code', 'claude mcp add-json --scope user loam'],
    ['codex', '[mcp_servers.loam]'],
    ['cursor', '"mcpServers"'],
    ['vscode', '"servers"'],
    ['opencode', '"https://opencode.ai/config.json"'],
  ])('prints what %s needs, and no key', async (client, part) => {
    await using folder = await openFolder()
    const { run, config } = await home(folder.path)
    const { code, stdout } = await run('connect', client)
    expect(code).toBe(0)
    expect(stdout).toContain(part)
    expect(stdout).toContain(config)
    expect(stdout).not.toContain(KEY)
  })

  test('names the clients it knows', async () => {
    await using folder = await openFolder()
    const { code, stderr } = await (await home(folder.path)).run('connect', 'constructor')
    expect(code).toBe(1)
    expect(stderr).toContain('there are claude-code, codex, cursor, vscode, opencode')
  })
})
