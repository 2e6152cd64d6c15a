import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { catalog, listTool } from '../../src/mcp/catalog.ts'

describe('the catalogue', () => {
  test.each(catalog.map((tool) => [tool.name, tool] as const))(
    'shows %s to agents as it stands in catalog/',
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
        const { description: words } = schema as { description?: string }
        expect([name, parameter, words]).toEqual([name, parameter, expect.stringMatching(/\S/)])
      }
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
