import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BOUNDED, GROWING } from './growth.ts'

const withoutComments = (path: string): string =>
  readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** What serves many callers at once: a command and a generator hold up nobody but themselves. */
const sources = globSync('src/**/*.ts')
  .filter((path) => !/^src\/(?:dev|cli)\/|\.d\.ts$/.test(path))
  .map((path) => ({ path, text: withoutComments(path) }))

/** Signs of work that may outgrow its input. */
const SIGNS: Record<string, RegExp> = {
  'a parser or a renderer of others': new RegExp(
    String.raw`from '(?:diff|yaml|markdown-it|sanitize-html|highlight\.js|wink-porter2-stemmer|turndown|liquidjs|` +
      String.raw`htmlparser2|linkedom|smol-toml|jsonc-parser|html-encoding-sniffer|@mozilla\/|@joplin\/)`,
  ),
  'a pattern that is made': /new RegExp\(/,
  'JSON from elsewhere': /JSON\.parse\(/,
  'text replaced by text': /\.replaceAll\((?![/'"`])|\.replace\((?![/'"`])/,
  'text repeated': /\.repeat\(/,
  'text in a normal form': /\.normalize\(/,
}

const signsOf = (text: string): string[] =>
  Object.entries(SIGNS).flatMap(([name, sign]) => (sign.test(text) ? [name] : []))

describe('what may grow faster than its input', () => {
  test.each(GROWING.map(({ at }) => at))('%s is there', (at) => {
    const [path = '', name = ''] = at.split(' ')
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path, 'utf8')).toMatch(
      new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm'),
    )
  })

  test('is bounded in every file that shows a sign of it', () => {
    const found = sources
      .filter(({ text }) => signsOf(text).length > 0)
      .map(({ path, text }) => `${path}: ${signsOf(text).join(', ')}`)
    const known = new Set([...Object.keys(BOUNDED), ...GROWING.map(({ at }) => at.split(' ')[0]!)])
    expect(found.filter((each) => !known.has(each.split(':')[0]!))).toEqual([])
  })

  test('is looked for in files that still show a sign of it', () => {
    const shown = new Set(
      sources.filter(({ text }) => signsOf(text).length > 0).map(({ path }) => path),
    )
    expect(Object.keys(BOUNDED).filter((path) => !shown.has(path))).toEqual([])
  })
})
