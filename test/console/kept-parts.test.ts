import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPELT } from '../../src/console/kept-parts.ts'
import { openLiquid } from '../../src/console/liquid.ts'

const START = Date.parse('2026-03-01T12:00:00Z')

const VIEWS = {
  'rows.liquid':
    '{% for item in items %}{% render one, item: item, nth: forloop.index %}\n{% endfor %}',
  'one.liquid':
    '{{ nth }} {{ item.name }} {{ item.at | age }} ({{ item.at | ago }}){% if item.of %} of {% render two, of: item.of %}{% endif %}',
  'marked.liquid': '{% for item in items %}{% render so, item: item, marker: marker %}{% endfor %}',
  'so.liquid': '{{ item.name | marked: marker }} ',
  'whole.liquid': '<ul>{% keep rows, items: list %}</ul>',
  'two.liquid': '{{ of.name }} {% render partials/age, at: of.at %}',
  'texts.liquid': '{% for item in items %}{% render text, item: item %}{% endfor %}',
  'text.liquid': '<li>{{ item.name | markdown }}</li>',
  'marks.liquid': '{% for item in items %}{% render mark, item: item %}{% endfor %}',
  'mark.liquid': '{{ item.name | marked: item }} ',
}

describe('the rows of a list', () => {
  let folder = ''
  let now = START
  const open = (cache: boolean) =>
    openLiquid({
      ...{ cache, folders: [folder], zone: 'UTC', now: () => now },
      links: { to: (kind: string, id: string) => `/${kind}/${id}` } as never,
    })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loam-views-'))
    for (const [name, text] of Object.entries(VIEWS)) await writeFile(join(folder, name), text)
  })
  afterAll(() => rm(folder, { recursive: true }))

  const seconds = fc.oneof(fc.nat(90), fc.nat(3 * 3_600), fc.nat(500 * 24 * 3_600))
  const row = fc.record({
    name: fc.constantFrom('atlas', '<b>', 'ledger'),
    at: fc.option(seconds),
    of: fc.option(fc.record({ name: fc.constantFrom('one', 'two'), at: seconds })),
  })
  type Row = typeof row extends fc.Arbitrary<infer T> ? T : never
  const dated = ({ name, at, of }: Row) => ({
    name,
    at: at === null ? null : new Date(START - 1_000 * at),
    of: of && { ...of, at: new Date(START - 1_000 * of.at) },
  })

  test('are on every page what they would be if none were kept', async () => {
    const kept = open(true)
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 4 }),
        fc.array(fc.tuple(seconds, fc.boolean()), { maxLength: 8 }),
        async (rows, steps) => {
          now = START
          let items = rows.map(dated)
          for (const [passed, turned] of steps) {
            now += 1_000 * passed
            if (turned) items = items.toReversed()
            const page = await kept.renderFile('rows', { items })
            expect(page).toBe(await open(false).renderFile('rows', { items }))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('have their own texts, and what is done to them by the page, on each page', async () => {
    const kept = open(true)
    for (const name of ['*one*', '*two*', '*one*']) {
      const items = [{ name }, { name: 'same' }]
      expect(await kept.renderFile('texts', { items })).toContain(`<em>${name.slice(1, -1)}</em>`)
      const marked = items.map((item) => ({ ...item, mark: (text: string) => `[${text}]` }))
      expect(await kept.renderFile('marks', { items: marked })).toBe(`[${name}] [same] `)
      const crossed = items.map((item) => ({ ...item, mark: (text: string) => `~${text}~` }))
      expect(await kept.renderFile('marks', { items: crossed })).toBe(`~${name}~ ~same~ `)
    }
  })

  test('are kept with what does something to them, while it does the same', async () => {
    const kept = open(true)
    let made = 0
    const page = (words: string) => {
      const mark = (text: string) => (made++, `${words}${text}`)
      const items = [{ name: 'one' }, { name: 'two' }]
      return kept.renderFile('marked', { items, marker: { mark, [SPELT]: words } })
    }
    expect(await page('*')).toBe('*one *two ')
    expect(await page('*')).toBe('*one *two ')
    expect(made).toBe(2)
    expect(await page('~')).toBe('~one ~two ')
    expect(made).toBe(4)
  })

  test('and whole lists of them are kept, and are made anew where a row in them is another one', async () => {
    const kept = open(true)
    now = START
    const at = new Date(START - 59_000)
    const list = (...names: string[]) => ({ list: names.map((name) => ({ name, at, of: null })) })
    const fresh = async (...names: string[]) => open(false).renderFile('whole', list(...names))
    for (const names of [['atlas', 'ledger'], ['atlas', 'ledger'], ['atlas', '<b>'], ['atlas']]) {
      expect(await kept.renderFile('whole', list(...names))).toBe(await fresh(...names))
      now += 400
    }
    now += 60_000
    expect(await kept.renderFile('whole', list('atlas'))).toBe(await fresh('atlas'))
  })
})
