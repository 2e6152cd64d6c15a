import { describe, expect, test } from 'vitest'
import { BLOCK_TAGS, contextBlock } from '../../src/text/context-block.ts'
import { withoutOwnBlocks } from '../../src/text/own-blocks.ts'

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const quoted = (text: string): string => html(text).replaceAll('"', '&quot;')
const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const go = (text: string): string =>
  json(text).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')

const SPELLINGS = {
  'as it is': String,
  html,
  quoted,
  'html twice': (t: string) => html(quoted(t)),
  json,
  go,
}

describe('a text with blocks of ours', () => {
  test.each(Object.entries(SPELLINGS))('is without them, %s', (_, spell) => {
    for (const tag of BLOCK_TAGS) {
      const block = spell(contextBlock(tag, 'what is known about importers & rows\nsecond line'))
      expect(withoutOwnBlocks(`${block}\n\nwhy is that`)).toBe('why is that')
      expect(withoutOwnBlocks(`why\n${block}\n${block}is ${block}that`)).toBe('why\n\nis that')
      expect(withoutOwnBlocks(block)).toBe('')
    }
  })

  test('is without what its client wrote around them', () => {
    const block = contextBlock('loam-recall', 'x')
    expect(withoutOwnBlocks(`<hook_context>\n${html(block)}\n</hook_context>\nwhy`)).toBe('why')
    const other = `<hook_context>${block}of another hook</hook_context>why`
    expect(withoutOwnBlocks(other)).toBe('<hook_context>of another hook</hook_context>why')
  })

  test('keeps a block that is not closed, and one whose end has another number', () => {
    const open = '<loam-briefing id="0123456789abcdef">\nwords'
    for (const text of [
      open,
      ` ${open}\n</loam-briefing id="0123456789abcdee"> `,
      `${open}\n</loam-recall id="0123456789abcdef">`,
      `</loam-briefing id="0123456789abcdef">${open}`,
      'a prompt about <loam-briefing> and </loam-briefing>',
      '  nothing of the kind ',
    ]) {
      expect(withoutOwnBlocks(text)).toBe(text)
    }
  })

  test('is read in one pass, however many tags stand in it', () => {
    const tags = Array.from({ length: 100_000 }, (_, i) => {
      const id = i.toString(16).padStart(16, '0')
      return `<loam-recall id="${id}"></loam-briefing id="${id}">`
    }).join('')
    const many = tags + '</loam-recall id="0000000000000000">'.repeat(100_000)
    const before = performance.now()
    expect(withoutOwnBlocks(`${many}why`)).toMatch(/why$/)
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})
