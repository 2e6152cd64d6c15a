import { describe, expect, test } from 'vitest'
import { openHome } from '../../helpers/home.ts'

const FILE = '.codex/config.toml'

describe('a table of ours in a TOML file', () => {
  test.each(['# the end #', '#', 'model = "x" #', "# don't ["])(
    'is taken out of one that ends in %j without a line end',
    async (last) => {
      await using home = await openHome()
      await home.run('install-hooks', '--client', 'codex', '--no-skills')
      const text = await home.text(FILE)
      await home.write(FILE, `${text}\n[tui]\n${last}`)
      const again = await home.run('install-hooks', '--client', 'codex', '--no-skills')
      expect(again.stdout).toContain('mcp: unchanged')
      expect(await home.run('uninstall', '--client', 'codex')).toMatchObject({ code: 0 })
      expect(await home.text(FILE)).toBe(`[tui]\n${last}`)
    },
  )

  test('is refused beside servers that are one value, with what to do', async () => {
    await using home = await openHome()
    const text = 'mcp_servers = { other = { command = "x" } }\n'
    await home.write(FILE, text)
    const { code, stderr } = await home.run('install-hooks', '--client', 'codex', '--no-skills')
    expect(code).toBe(1)
    expect(stderr).toContain('"mcp_servers" stands there as one value { … }')
    expect(stderr).toContain('give each table in it a header [mcp_servers.name]; mend it, nothing')
    expect(await home.text(FILE)).toBe(text)
  })

  test('is put beside a number that only 64 bits hold', async () => {
    await using home = await openHome()
    const text = 'limit = 9223372036854775807\n'
    await home.write(FILE, text)
    const installed = await home.run('install-hooks', '--client', 'codex', '--no-skills')
    expect(installed).toMatchObject({ code: 0 })
    await home.run('uninstall', '--client', 'codex')
    expect(await home.text(FILE)).toBe(text)
  })
})
