import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const FILES = globSync('public/css/**/*.css')
const TOKENS = readFileSync('public/css/tokens.css', 'utf8')
const THEMES = ['light', 'dark'] as const

/** What a token is in each theme. */
const colours = new Map(
  [...TOKENS.matchAll(/^ {2}--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);$/gm)].map(
    ([, name, light, dark]) => [name!, { light: light!, dark: dark! }],
  ),
)
const colourOf = (name: string, theme: (typeof THEMES)[number]): string => {
  const colour = colours.get(name)
  if (!colour) throw new Error(`there is no token --${name}`)
  return colour[theme]
}

/** The relative luminance of WCAG 2. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

const GROUNDS = ['sunken', 'page', 'surface', 'raised', 'hover']
const TEXTS = ['ink', 'ink-2', 'ink-3', 'brand-ink', 'live', 'attention', 'danger']
const MARKS = ['injected', 'written', 'called', 'brand', 'focus', 'control', 'live']
const CODE = ['keyword', 'string', 'number', 'comment', 'title'].map((name) => `code-${name}`)
/** Text on a ground of its own. */
const PAIRS = [
  ...['ink', 'ink-2', 'ink-3', 'brand-ink', 'live', 'attention'].map((text) => [
    text,
    'brand-soft',
  ]),
  ...['ink', 'ink-2', 'ink-3', 'danger'].map((text) => [text, 'danger-soft']),
  ...['ink', 'attention'].map((text) => [text, 'attention-soft']),
  ['ink', 'found'],
  ['on-brand', 'brand'],
  ['on-brand', 'brand-ink'],
]

describe.each(THEMES)('the tokens, in the %s theme', (theme) => {
  const ratio = (one: string, other: string) =>
    contrast(colourOf(one, theme), colourOf(other, theme))

  test('give text a contrast of 4.5 at least on every ground that it stands on', () => {
    const pairs = [
      ...GROUNDS.flatMap((ground) => TEXTS.map((text) => [text, ground])),
      ...['surface', 'sunken'].flatMap((ground) => CODE.map((text) => [text, ground])),
      ...PAIRS,
    ]
    const weak = pairs.filter(([text, ground]) => ratio(text!, ground!) < 4.5)
    expect(weak.map((pair) => `${pair.join(' on ')}: ${ratio(pair[0]!, pair[1]!)}`)).toEqual([])
  })

  test('give borders of controls and marks a contrast of 3 at least', () => {
    const weak = GROUNDS.flatMap((ground) =>
      MARKS.filter((mark) => ratio(mark, ground) < 3).map((mark) => `${mark} on ${ground}`),
    )
    expect(weak).toEqual([])
  })

  test('order the grounds by lightness: sunken, page, surface', () => {
    const [sunken, page, surface] = ['sunken', 'page', 'surface'].map((name) =>
      luminance(colourOf(name, theme)),
    )
    expect(sunken).toBeLessThan(page!)
    expect(page).toBeLessThan(surface!)
  })
})

test.each(FILES)('%s uses the sizes, weights and colours of the tokens, and no others', (path) => {
  const css = readFileSync(path, 'utf8')
  const values = (property: string) =>
    [...css.matchAll(new RegExp(`^\\s*${property}: ([^;]+);`, 'gm'))].map(([, value]) => value!)
  for (const font of values('font')) {
    expect(font).toMatch(
      /^(?:(?:400|600) var\(--(?:hint|text|prose|title|vital)\) var\(--(?:sans|mono)\)|inherit)$/,
    )
  }
  for (const weight of values('font-weight')) expect(weight).toMatch(/^[46]00$/)
  for (const size of values('font-size')) expect(size).toBe('inherit')
  if (!path.endsWith('tokens.css')) expect(css).not.toMatch(/#[0-9a-f]{3,8}\b|\brgb|\bhsl/i)
  const used = [...css.matchAll(/var\(--(?!columns)([\w-]+)/g)].map(([, name]) => name!)
  const known = new Set([...`${TOKENS}${css}`.matchAll(/--([\w-]+):/g)].map(([, name]) => name!))
  expect(used.filter((name) => !known.has(name))).toEqual([])
})
