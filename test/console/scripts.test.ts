import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { joinScript } from '../../src/console/scripts.ts'
import { openFolder } from '../helpers/folder.ts'

/** Joins modules, the first of which is the entry. */
async function joined(modules: Record<string, string>): Promise<string> {
  await using folder = await openFolder()
  for (const [name, text] of Object.entries(modules)) await writeFile(join(folder.path, name), text)
  return joinScript(pathToFileURL(join(folder.path, Object.keys(modules)[0]!)))
}

describe('a joined script', () => {
  test('holds every module once, before those that import it', async () => {
    const script = await joined({
      'entry.js': `import { left } from './left.js'\nimport {\n  right,\n} from './right.js'\nexport const both = () => [left(), right()]\n`,
      'left.js': `import { next } from './count.js'\nexport function left() {\n  return next()\n}\n`,
      'right.js': `import { next } from './count.js'\nexport async function right() {\n  return next()\n}\n`,
      'count.js': `let count = 0\nexport const next = () => ++count\n`,
    })
    const { both } = runInNewContext(script)
    const [left, right] = both()
    expect([left, await right]).toEqual([1, 2])
  })

  test('keeps the names of a module to itself, and is strict', async () => {
    const script = await joined({
      'entry.js': `import { other } from './other.js'\nconst name = 'mine'\nfunction plain() {\n  return this\n}\nexport const values = () => [name, other(), plain()]\n`,
      'other.js': `const name = 'other'\nexport const other = () => name\n`,
    })
    expect(runInNewContext(script).values()).toEqual(['mine', 'other', undefined])
  })

  test('takes packages along', async () => {
    const script = await joined({
      'entry.js': `import { Idiomorph } from 'idiomorph'\nexport const kind = typeof Idiomorph.morph\n`,
    })
    expect(runInNewContext(script).kind).toBe('function')
  })

  test('has no comments that have lines of their own, and no indentation', async () => {
    const script = await joined({
      'entry.js': `/* What it is.\n * More of it. */\nconst at = 'http://x' // stays\n\n/*\n * Says\n */\nexport function said() {\n  // why\n  return at + '/* no comment */'\n}\n`,
    })
    expect(script).not.toMatch(/What it is|Says|why|^ /m)
    expect(runInNewContext(script).said()).toBe('http://x/* no comment */')
  })

  test('of ours have no text over several lines, which would lose its indentation', () => {
    const scripts = globSync('public/*/*.js')
    expect(scripts.length).toBeGreaterThan(30)
    for (const path of scripts) {
      const lines = readFileSync(path, 'utf8').split('\n')
      const open = lines.filter((line) => (line.match(/`/g) ?? []).length % 2 === 1)
      expect({ path, open }).toEqual({ path, open: [] })
    }
  })

  test.each([
    [
      'a circle',
      {
        'a.js': `import { b } from './b.js'\nexport const a = b\n`,
        'b.js': `import { a } from './a.js'\nexport const b = a\n`,
      },
      /a\.js imports itself/,
    ],
    [
      'a name that nobody exports',
      { 'a.js': `import { gone } from './b.js'\n`, 'b.js': `export const there = 1\n` },
      /a\.js: \.\/b\.js does not export "gone"/,
    ],
    ['a file that is not there', { 'a.js': `import { b } from './b.js'\n` }, /ENOENT/],
    ['a renamed import', { 'a.js': `import { b as c } from './b.js'\n` }, /cannot import "b as c"/],
    ['a default export', { 'a.js': `export default 1\n` }, /a\.js: cannot join "export default 1"/],
    ['an export that changes', { 'a.js': `export let a = 1\n` }, /cannot join "export let a = 1"/],
    ['an import for effect', { 'a.js': `import './b.js'\n` }, /cannot join "import '\.\/b\.js'"/],
  ])('refuses %s', async (_what, modules, why) => {
    await expect(joined(modules as Record<string, string>)).rejects.toThrow(why)
  })
})
