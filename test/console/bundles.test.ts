import { globSync, readFileSync } from 'node:fs'
import { appendFile, cp } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundles, hashOfSources } from '../../src/console/bundles.ts'
import { openFolder } from '../helpers/folder.ts'

/** What a bundle is made of. */
function sourcesOf(name: string): string[] {
  if (name === 'console.css') return globSync('public/css/*.css')
  if (name.endsWith('.css')) return [`public/css/sections/${name}`]
  return globSync(`public/${basename(name, '.js')}/*`)
}

test('what browsers get is made once, without what only readers need', async () => {
  const made = await bundles()
  const sections = globSync('public/css/sections/*.css').map((path) => basename(path))
  const names = ['console.css', 'interactions.js', 'search.js', 'worker.js', ...sections]
  expect([...made.keys()].sort()).toEqual(names.sort())
  for (const [name, bytes] of made) {
    const sources = sourcesOf(name).map((path) => readFileSync(path))
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThan(Buffer.concat(sources).length * 0.95)
    expect(bytes.toString()).not.toContain('\n ')
  }
  expect(await bundles()).toBe(made)
})

test('every sheet of public/css is part of the one sheet, tokens first', async () => {
  const css = (await bundles()).get('console.css')!.toString()
  const sheets = globSync('public/css/*.css')
  expect(sheets.length).toBeGreaterThan(20)
  for (const path of sheets) {
    const [name] = /(?<=^\.)[a-z][\w-]+/m.exec(readFileSync(path, 'utf8')) ?? []
    expect({ path, there: css.includes(name ?? ':root') }).toEqual({ path, there: true })
  }
  expect(css.indexOf('--ground')).toBeLessThan(css.indexOf('.row'))
})

test('every module of public/ is the first of its folder, or another one imports it', () => {
  const modules = globSync('public/*/*.js')
  expect(modules.length).toBeGreaterThan(30)
  const texts = modules.map((path) => readFileSync(path, 'utf8'))
  const unused = modules.filter((path) => {
    const name = basename(path)
    if (name === `${basename(dirname(path))}.js`) return false
    return !texts.some((text) => text.includes(`/${name}'`))
  })
  expect(unused).toEqual([])
})

test('the address of what browsers get changes with each change of what it is made of', async () => {
  await using folder = await openFolder()
  await cp('public', folder.path, { recursive: true })
  const before = hashOfSources(folder.path)
  expect(before).toBe(hashOfSources())
  await appendFile(join(folder.path, 'worker/tabs.js'), '\n')
  expect(hashOfSources(folder.path)).not.toBe(before)
})
