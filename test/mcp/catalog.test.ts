import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../src/mcp/catalog.ts'
import { listTool, prepareOffers } from '../../src/mcp/offers.ts'

/** Words that look like a tool of a room and are none: a parameter, a kind of proposal. */
const NO_TOOLS = ['session_id', 'memory_wanted']

describe('the catalogue', () => {
  test.each(catalog.map((tool) => [tool.name, tool] as const))(
    'shows %s to agents as catalog/ has it',
    async (name, tool) => {
      const listed = `${JSON.stringify(listTool(tool), null, 2)}\n`
      await expect(listed).toMatchFileSnapshot(`catalog/${name}.json`)
    },
  )

  test('keeps no file of a tool that is gone', () => {
    const files = readdirSync(new URL('catalog', import.meta.url))
    const names = catalog.map(({ name }) => `${name}.json`)
    expect(files.filter((file) => !names.includes(file))).toEqual([])
  })

  test('names every tool once, by a word or two joined with _', () => {
    const names = catalog.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+(?:_[a-z]+)?$/)
  })

  test('says of every tool and of every parameter what it is for, in 2,000 bytes at most', () => {
    for (const { name, title, description, input } of catalog) {
      expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z]/)])
      expect([name, description.length > 20]).toEqual([name, true])
      expect([name, Buffer.byteLength(description) <= 2_000]).toEqual([name, true])
      for (const [parameter, schema] of Object.entries(input.properties)) {
        // The instructions say once what it is: repeated, it takes a tenth of the list.
        if (parameter === 'session' && name !== 'session_end' && name !== 'session_update') continue
        const { description: words } = schema as { description?: string }
        expect([name, parameter, words]).toEqual([name, parameter, expect.stringMatching(/\S/)])
      }
    }
  })

  test('fits in 6,500 tokens with research on, its four gardeners in 900 of them, of which four bytes make one', () => {
    expect(catalog).toHaveLength(33)
    const shown = catalog.map((tool) => {
      const { name, title, description, inputSchema } = listTool({ ...tool, ...tool.research })
      return JSON.stringify({ name, title, description, inputSchema })
    })
    const tokensOf = (texts: string[]) =>
      texts.reduce((sum, text) => sum + Buffer.byteLength(text) / 4, 0)
    expect(tokensOf(shown)).toBeLessThanOrEqual(6_500)
    const gardeners = shown.filter((_, at) => catalog[at]!.name.startsWith('gardener_'))
    expect(gardeners).toHaveLength(4)
    expect(tokensOf(gardeners)).toBeLessThanOrEqual(900)
    // Room for all that are to come: no tool may take what ten others need.
    for (const [index, text] of shown.entries()) {
      expect([catalog[index]!.name, text.length <= 2_000]).toEqual([catalog[index]!.name, true])
    }
  })

  test('says in the first 160 characters of every tool what it is for, in a sentence of its own', () => {
    const firsts = catalog.flatMap(({ description, research }) => {
      const texts = [description, ...(research ? [research.description] : [])]
      return texts.map((text) => /^[^]*?[.](?= |$)/.exec(text)?.[0] ?? text)
    })
    for (const first of firsts) {
      expect([first, first.length <= 160 && first.length >= 50]).toEqual([first, true])
      expect(first).toMatch(/^[A-Z][a-z]+[ ,:]/)
    }
    expect(new Set(firsts.map((first) => first.slice(0, 60))).size).toBeGreaterThanOrEqual(33)
  })

  test('is listed in the same bytes however it is ordered here, and whatever was switched meanwhile', () => {
    const off = { research: false, momentum: false, gamification: false }
    const bytes = (offerFor: ReturnType<typeof prepareOffers>, research = false): string =>
      JSON.stringify(offerFor({ ...off, research }).listed)
    const one = prepareOffers(catalog)
    const other = prepareOffers(catalog.toReversed())
    const hidden = bytes(one)
    expect(bytes(other, true)).toBe(bytes(one, true))
    expect(bytes(other)).toBe(hidden)
    expect(bytes(one)).toBe(hidden)
  })

  test('says of every tool what to use instead, and names no tool that is not there', () => {
    const always = catalog.filter(({ feature }) => !feature).map(({ name }) => name)
    const rooms = [...new Set(catalog.map(({ name }) => name.split('_')[0]!))]
    const names = new RegExp(`\\b(?:${rooms.join('|')})_[a-z]+\\b|\\brecall\\b`, 'g')
    for (const tool of catalog) {
      const { name, feature, description, input } = tool
      const known = feature ? catalog.map((each) => each.name) : always
      const others = (description.match(names) ?? []).filter((each) => each !== name)
      expect([name, others.length > 0]).toEqual([name, true])
      const parameters = Object.values(input.properties).map((each) => JSON.stringify(each))
      for (const text of [description, ...parameters]) {
        const unknown = (text.match(names) ?? []).filter((each) => !known.includes(each))
        expect([name, unknown.filter((each) => !NO_TOOLS.includes(each))]).toEqual([name, []])
      }
    }
  })

  test('takes the session on every tool that asks where it is or who acts', () => {
    const without = catalog.filter(({ input }) => !Object.hasOwn(input.properties, 'session'))
    expect(without.map(({ name }) => name).sort()).toEqual(['project_list', 'session_start'])
  })

  test('has schemas that leave nothing open: a type everywhere, lists of objects at most, no choices between shapes', () => {
    for (const tool of catalog) {
      const { inputSchema, outputSchema } = listTool(tool)
      expect([tool.name, looseEnds(inputSchema as Shape, 0)]).toEqual([tool.name, []])
      expect([tool.name, (outputSchema as { type: string }).type]).toEqual([tool.name, 'object'])
    }
  })

  test('calls nothing that reads destructive, and nothing that overwrites harmless', () => {
    for (const { name, hints } of catalog) {
      if (hints.readOnly) {
        expect([name, hints.destructive, hints.idempotent]).toEqual([name, false, true])
      }
      if (/_(?:delete|update|edit)$/.test(name)) {
        expect([name, hints.readOnly]).toEqual([name, false])
      }
    }
  })
})

interface Shape {
  type?: unknown
  enum?: unknown[]
  items?: Shape
  properties?: Record<string, Shape>
  required?: string[]
}

/** Where a strict client, or a model, would have to guess. */
function looseEnds(schema: Shape, depth: number, at = ''): string[] {
  const { type, properties = {}, required = [], items } = schema
  const words = ['type', 'enum', 'items', 'properties', 'required', 'description', 'minimum']
  const known = [...words, 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']
  const further = ['contentMediaType', 'additionalProperties']
  return [
    ...(typeof type === 'string' ? [] : [`${at} has no type`]),
    ...(type === 'array' && !items ? [`${at} says not of what it is a list`] : []),
    ...(depth > (type === 'string' ? 4 : 3) ? [`${at} is nested too deep`] : []),
    ...required.filter((name) => !Object.hasOwn(properties, name)),
    ...Object.keys(schema)
      .filter((word) => ![...known, ...further].includes(word))
      .map((word) => `${at} uses ${word}`),
    ...Object.entries(properties).flatMap(([name, each]) =>
      looseEnds(each, depth + 1, `${at}.${name}`),
    ),
    ...(items ? looseEnds(items, depth + 1, `${at}[]`) : []),
  ]
}
