import { existsSync, globSync, readFileSync } from 'node:fs'
import { appendFile, cp } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundles, hashOfSources, sectionsWithSheets } from '../../src/console/bundles.ts'
import { openFolder } from '../helpers/folder.ts'

const SHEETS = globSync('public/css/*.css')

/** What a bundle is made of. */
function sourcesOf(name: string): string[] {
  if (name === 'console.css') return SHEETS
  const stem = basename(name).replace(/\.\w+$/, '')
  if (name.endsWith('.css'))
    return globSync([`public/css/sections/${name}`, `public/features/${stem}/*.css`])
  return globSync([`public/${stem}/*`, `public/features/${stem}/*.js`])
}

const classesIn = (paths: readonly string[]): Set<string> =>
  new Set(paths.flatMap((path) => readFileSync(path, 'utf8').match(/(?<=\.)[a-z][\w-]+/g) ?? []))

test('what browsers get is made once, without what only readers need', async () => {
  const made = await bundles()
  const sections = globSync('public/css/sections/*.css').map((path) => basename(path))
  const features = globSync('public/features/*/*.css').map((path) => basename(path, '.css'))
  const extras = features.flatMap((name) => [`${name}.css`, `${name}.js`])
  const names = ['console.css', 'interactions.js', 'search.js', 'worker.js', ...sections, ...extras]
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
  expect(SHEETS.length).toBeGreaterThan(20)
  for (const path of SHEETS) {
    const others = classesIn(SHEETS.filter((other) => other !== path))
    const own = [...classesIn([path])].filter((name) => !others.has(name))
    const there = own.filter((name) => new RegExp(`\\.${name}(?![\\w-])`).test(css))
    expect({ path, there }).toEqual({ path, there: own })
  }
  expect(css.indexOf('--ground')).toBeLessThan(css.indexOf('.row'))
})

test('what other pages show of a section needs no sheet of that section', () => {
  const common = classesIn(SHEETS)
  let looked = 0
  for (const section of sectionsWithSheets) {
    const own = classesIn([`public/css/sections/${section}.css`])
    const shown = templatesFrom(`views/${section}/peek.liquid`)
    looked += shown.length
    for (const path of shown) {
      const used = readFileSync(path, 'utf8').match(/(?<=class="[^"]*)[a-z][\w-]+/g) ?? []
      const foreign = used.filter((name) => own.has(name) && !common.has(name))
      expect({ path, foreign }).toEqual({ path, foreign: [] })
    }
  }
  expect(looked).toBeGreaterThan(3)
})

/** A template and all that it renders. */
function templatesFrom(path: string, known = new Set<string>()): string[] {
  if (known.has(path) || !existsSync(path)) return [...known]
  known.add(path)
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/\{%-? render ([\w/-]+)/g)) {
    templatesFrom(`views/${name}.liquid`, known)
  }
  return [...known]
}

test('every module of public/ is the first of its folder, or another one imports it', () => {
  const modules = globSync(['public/*/*.js', 'public/features/*/*.js'])
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
