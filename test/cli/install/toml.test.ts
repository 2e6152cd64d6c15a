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
})
