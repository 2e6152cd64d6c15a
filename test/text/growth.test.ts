import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { renderMarkdown } from '../../src/console/markdown.ts'
import { cutText } from '../../src/passages/cut.ts'
import { wordsAsked, wordsOf, wordsWritten } from '../../src/passages/words.ts'
import { planTitle } from '../../src/plans/plans.ts'
import { stageHeader } from '../../src/memories/stage.ts'
import { tellsAnything } from '../../src/sessions/last-words.ts'
import { contextBlock } from '../../src/text/context-block.ts'
import { unifiedDiff } from '../../src/text/diff.ts'
import { eachOccurrence } from '../../src/text/find.ts'
import { parseFrontmatter } from '../../src/text/frontmatter.ts'
import { headingsOf } from '../../src/text/headings.ts'
import { linksOf } from '../../src/text/links.ts'
import { withoutOwnBlocks } from '../../src/text/own-blocks.ts'
import { maskSecrets, maskValue } from '../../src/text/secrets.ts'
import { showText } from '../../src/text/show-text.ts'
import { slugify } from '../../src/text/slug.ts'
import { oneLine, withoutEnd } from '../../src/text/text.ts'
import * as bounds from '../../src/kernel/schema/bounds.ts'
import { compileReader } from '../../src/kernel/schema/reader.ts'

const limits = compileReader(
  Type.Object({ limit: Type.Optional(Type.Integer()), tags: Type.Optional(bounds.tags('')) }),
)

/** What reads a text that others wrote. */
const READERS: Record<string, (text: string) => unknown> = {
  'a number': (text) => refused(() => limits({ limit: text })),
  'a list': (text) => refused(() => limits({ tags: text })),
  'a diff': (text) => unifiedDiff(text, `${text.slice(9)}x${text}`),
  'a head': (text) => refused(() => parseFrontmatter(Buffer.from(`---\n${text}\n---\n`))),
  'a file': (text) => refused(() => parseFrontmatter(Buffer.from(`---\nid: x\n---\n${text}`))),
  'a block': (text) => contextBlock('loam-recall', text),
  'a part': (text) => eachOccurrence(`${text}${text}`, `${text.slice(0, 9_000)}!`, () => {}),
  'a plan': (text) => planTitle(`# ${text}`),
  'a slug': slugify,
  'a stage': (text) => stageHeader(`Status${text}`),
  'its end': (text) => withoutEnd(text, '\r\n#'),
  'last words': tellsAnything,
  headings: headingsOf,
  links: (text) => linksOf(text, (name) => name),
  markdown: (text) => renderMarkdown(text),
  'one line': (text) => oneLine(text, 300),
  'our own blocks': (text) => withoutOwnBlocks(`loam-${text}`),
  passages: (text) => cutText(text),
  secrets: maskSecrets,
  'what is logged': (text) => showText(text, 4_000),
  'what is logged of a list': (text) => maskValue(text.split(''), (item) => item),
  words: (text) => [wordsOf(text), wordsAsked(text), wordsWritten(text)],
}

/** Repeated, each makes some pattern begin anew at every place. */
const UNITS = [
  ...[
    'x',
    '1',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '[',
    '[[',
    ']',
    '[[a',
    '[[a]]',
    '![',
    '[a](',
    '*',
    '**a',
    '_',
  ],
  ...[
    '<',
    '</a>',
    '<!--',
    '&amp;',
    '|',
    '|a|\n|-|\n',
    '`',
    '> ',
    '- ',
    '-\n',
    '# a\n',
    '#',
    '---\n',
  ],
  ...[
    'password',
    'eyJ',
    'sk-',
    'http://',
    'a@b.',
    '-----BEGIN A PRIVATE KEY-----',
    '?',
    '. ',
    "a'",
  ],
  ...[
    '<loam-recall id="0123456789abcdef">',
    '\\u003c',
    '[a]: b\n',
    'a: b\n',
    'é\u0301',
    '漢',
    '😀',
  ],
]
const SIZE = 128 * 1024
/** Of this thread, in milliseconds. A text that is looked at once takes less than a tenth of a second, one squared six. */
const MOST_MS = 1_500

describe('no text that repeats itself is looked at again and again', () => {
  test.each(Object.entries(READERS))('for %s', async (_, read) => {
    for (const unit of UNITS) {
      const text = unit.repeat(SIZE / unit.length)
      for (const each of [text, `${text}!`]) {
        const began = process.threadCpuUsage().user
        await read(each)
        const took = (process.threadCpuUsage().user - began) / 1_000
        expect([unit, took < MOST_MS]).toEqual([unit, true])
      }
    }
  })
})

test.each(['csharp', 'ini', 'cpp', 'shell', 'markdown', 'graphql', 'ruby', 'typescript'])(
  'code of %s is highlighted as far as that is done soon',
  async (language) => {
    for (const line of ['x', '1', '_', '`', '"', '${', 'a.', '('].map((unit) => unit.repeat(250))) {
      for (const code of [line.repeat(40), `${line}\n`.repeat(40)]) {
        const began = process.threadCpuUsage().user
        await renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\`\n`.repeat(8))
        const took = (process.threadCpuUsage().user - began) / 1_000
        expect([line.slice(0, 2), took < MOST_MS]).toEqual([line.slice(0, 2), true])
      }
    }
  },
)

function refused(read: () => unknown): void {
  try {
    read()
  } catch {
    // That is an answer.
  }
}
