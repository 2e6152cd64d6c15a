/** Files as chance makes them: whatever stands in one, and whatever is written meanwhile, stays. */
import fc from 'fast-check'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SEED } from '../../helpers/seed.ts'
import { openHome } from '../../helpers/home.ts'
import { openHouse } from '../../helpers/house.ts'
import { runOn } from '../../helpers/in-process.ts'

const PATHS = ['.claude/settings.json', '.gemini/settings.json', '.cursor/mcp.json']
const CLIENTS = ['--client', 'claude,gemini,cursor']

/** What people write, with the sections that are ours among it. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, true, null, 'x', '// no comment', '{', '\\"', 'ü😀'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c d', '/*'), tie('any'), { maxKeys: 3 }),
  ),
})).any
const section = fc.dictionary(
  fc.constantFrom('other', 'Stop', 'x'),
  fc.array(value, { maxLength: 2 }),
)
const settings = fc.record(
  { model: value, hooks: section, mcpServers: section, zebra: value },
  { requiredKeys: [] },
)
const style = fc.record({
  indent: fc.constantFrom('', ' ', '  ', '    ', '\t'),
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n'),
  comments: fc.boolean(),
})

function written(
  from: object,
  { indent, eol, bom, end, comments }: typeof style extends fc.Arbitrary<infer T> ? T : never,
): string {
  const lines = JSON.stringify(from, null, indent).split('\n')
  const shown = lines.map((line, at) =>
    comments && indent !== '' && at < lines.length - 1 ? `${line} // ${at}` : line,
  )
  return (bom ? '\ufeff' : '') + shown.join(eol) + end
}

test('a file that nobody touches is given back byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(settings, style, async (from, how) => {
      await using home = await openHome()
      const text = written(from, how)
      for (const path of PATHS) await home.write(path, text)
      const before = await home.tree()
      const installed = await home.run('install-hooks', ...CLIENTS, '--no-skills', '--allow-tools')
      expect(installed).toMatchObject({ code: 0 })
      await home.run('uninstall', ...CLIENTS)
      expect(await home.tree()).toEqual(before)
    }),
    { seed: SEED, numRuns: 40 },
  )
})

test('a file that a client writes anew keeps what the client wrote, and nothing of ours', async () => {
  await fc.assert(
    fc.asyncProperty(settings, style, settings, async (from, how, more) => {
      await using home = await openHome()
      for (const path of PATHS) await home.write(path, written(from, how))
      await home.run('install-hooks', ...CLIENTS, '--no-skills', '--allow-tools')
      const added = { mine: more, ...(from.zebra === undefined && { zebra: 1 }) }
      for (const path of PATHS) {
        const now = JSON.parse(stripped(await home.text(path)))
        await home.write(path, JSON.stringify({ ...now, ...added }, null, 3))
      }
      await home.run('uninstall', ...CLIENTS)
      for (const path of PATHS)
        expect(await home.read(path)).toEqual(JSON.parse(JSON.stringify({ ...from, ...added })))
    }),
    { seed: SEED, numRuns: 30 },
  )
})

/** Without the comments that this test puts at the ends of lines. */
const stripped = (text: string): string =>
  text.replace('\ufeff', '').replaceAll(/ \/\/ \d+\r?$/gm, '')

test('skills and their folders go again, and what is put beside them stays', async () => {
  await using house = await openHouse()
  await using home = await openHome(house.url)
  await home.write('key', house.key)
  const before = await home.tree()
  const { stdout } = await home.run('install-hooks', '--client', 'both')
  expect(stdout).toContain('skill loam-onboard: added')
  expect(await readdir(join(home.folder, '.claude/skills/loam-onboard'))).toContain('SKILL.md')
  await home.run('uninstall')
  expect(await home.tree()).toEqual(before)

  await home.run('install-hooks', '--client', 'claude')
  await home.write('.claude/skills/loam-onboard/mine.md', 'mine')
  await home.run('uninstall')
  const left = Object.keys(await home.tree()).filter((path) => path.startsWith('.claude/skills/'))
  expect(left).toEqual(['.claude/skills/loam-onboard', '.claude/skills/loam-onboard/mine.md'])
})

test('a broken file that never held anything of ours is no matter of an uninstallation', async () => {
  await using home = await openHome()
  await home.write('.cursor/mcp.json', '{ "x": ')
  await home.write('.gemini/settings.json', Buffer.from([0xff, 0xfe, 0x7b, 0]))
  const { code, stderr } = await home.run('uninstall')
  expect([code, stderr]).toEqual([0, ''])
})

test('the other configuration of opencode is cleared as well', async () => {
  await using home = await openHome()
  const own = '{\n  // mine\n  "model": "x",\n}\n'
  await home.write('.config/opencode/opencode.jsonc', own)
  await home.run('install-hooks', '--client', 'opencode', '--no-skills')
  expect(await home.text('.config/opencode/opencode.jsonc')).toContain('"mcp"')
  await home.write('.config/opencode/opencode.json', '{}')
  await home.run('uninstall')
  expect(await home.text('.config/opencode/opencode.jsonc')).toBe(own)
})

test('a file that is named by its place in the working directory is found again', async () => {
  await using home = await openHome()
  await home.write('other.json', '{}\n')
  const settings = ['--client', 'claude', '--settings', 'other.json']
  await home.run('install-hooks', ...settings, '--no-skills')
  expect(await home.text('other.json')).toContain('session-start')
  await home.run('uninstall', ...settings)
  expect(await home.text('other.json')).toBe('{}\n')
})

test('an uninstallation names the places that it was not told of', async () => {
  await using home = await openHome()
  const work = join(home.folder, '.claude-work')
  const withWork = { cwd: home.folder, env: { HOME: home.folder, CLAUDE_CONFIG_DIR: work } }
  await home.run('install-hooks', '--client', 'claude,codex')
  await runOn(['install-hooks', '--client', 'claude'], withWork)
  const left = [`${work}/.claude.json`, `${work}/settings.json`].join(', ')
  const told = [`still installed: ${left}`]

  const one = await home.run('uninstall', '--client', 'claude')
  expect(one.stdout.match(/^still.*$/gm)).toEqual(told)
  const all = await home.run('uninstall', '--dry-run')
  expect(all.stdout.match(/^still.*$/gm)).toEqual(told)
  const { stdout } = await runOn(['uninstall'], withWork)
  expect(stdout).not.toContain('still installed')
  expect((await home.run('uninstall')).stdout).not.toContain('still installed')
  expect(Object.keys(await home.tree()).filter((path) => path.includes('claude'))).toEqual([])
})

test('installations at the same time lose nothing of what they are to give back', async () => {
  await using home = await openHome()
  const files = [
    '.claude/settings.json',
    '.gemini/settings.json',
    '.qwen/settings.json',
    '.cursor/mcp.json',
  ]
  for (const file of files) await home.write(file, '{ "hooks": { },\n "mcpServers": {} }')
  const before = await home.tree()
  const clients = ['claude', 'codex', 'gemini', 'qwen', 'cursor', 'opencode']
  await Promise.all(
    clients.map((client) => home.run('install-hooks', '--client', client, '--no-skills')),
  )
  await home.run('uninstall')
  expect(await home.tree()).toEqual(before)
})

test('without a place to write down what was changed, it is found by its marks', async () => {
  await using home = await openHome()
  await home.write('.claude/settings.json', '{\n  "model": "x"\n}\n')
  await home.write('.local', 'no folder')
  const before = await home.tree()
  const { code, stderr } = await home.run('install-hooks', '--client', 'claude', '--no-skills')
  expect(code).toBe(1)
  expect(stderr).toContain('an uninstallation will find what was changed by its marks alone')
  expect(await home.text('.claude/settings.json')).toContain('session-start')
  await home.run('uninstall')
  const { '.claude.json': servers, ...left } = await home.tree()
  expect(left).toEqual(before)
  expect(servers).not.toContain('loam')
})
