/**
 * The functions that may take more than their input is large, and what bounds each of them. The attack
 * `budgets` tries every one of them with texts that are slow for somebody.
 */
import { scan } from '../../src/capture/scan.ts'
import { decode } from '../../src/capture/decode.ts'
import { parseCursor } from '../../src/console/live/cursor.ts'
import { renderMarkdown } from '../../src/console/markdown.ts'
import { stageHeader } from '../../src/memories/stage.ts'
import { readPayload } from '../../src/hooks/payload.ts'
import { nearest, suggest } from '../../src/kernel/suggest.ts'
import { compileReader } from '../../src/kernel/schema/reader.ts'
import { catalog } from '../../src/mcp/catalog.ts'
import { cutItem } from '../../src/passages/item.ts'
import { wordsAsked, wordsOf } from '../../src/passages/words.ts'
import { planFileName, readStamp, titleOf } from '../../src/plans/vocabulary.ts'
import { normalPlace } from '../../src/projects/repo-map.ts'
import { tellsAnything } from '../../src/sessions/last-words.ts'
import { meet, patternOf, patternProblem } from '../../src/tasks/globs.ts'
import { capBlock, contextBlock } from '../../src/text/context-block.ts'
import { unifiedDiff } from '../../src/text/diff.ts'
import { applyEdits } from '../../src/text/edits.ts'
import { parseFrontmatter, renderFrontmatter } from '../../src/text/frontmatter.ts'
import { linksOf } from '../../src/text/links.ts'
import { withoutOwnBlocks } from '../../src/text/own-blocks.ts'
import { maskSecrets, maskValue } from '../../src/text/secrets.ts'
import { showText } from '../../src/text/show-text.ts'
import { slugify } from '../../src/text/slug.ts'
import { oneLine } from '../../src/text/text.ts'
import { Unreadable } from '../../src/kernel/unreadable.ts'
import { Refusal } from '../../src/kernel/refusal.ts'

export interface Growing {
  /** Where it is, and its name: `src/text/diff.ts unifiedDiff`. */
  at: string
  /** What keeps it within its budget. */
  bound: 'steps' | 'size' | 'time' | 'turns' | 'worker'
  /** The most that reaches it, in UTF-16 units. */
  most: number
  /** What it is given, made of the text; without it the text itself. */
  input?(text: string): unknown
  /** One run of it. May refuse. */
  run(given: any): unknown
}

const KIB = 1_024
const BODY = 4_096 * KIB
const REQUEST = 1_024 * KIB

const readers = catalog.map(({ input }) => compileReader(input))
const half = (text: string): [string, string] => [
  text.slice(0, text.length / 2),
  text.slice(text.length / 2),
]

export const GROWING: readonly Growing[] = [
  {
    at: 'src/text/edits.ts applyEdits',
    bound: 'steps',
    most: BODY,
    run: (text) => {
      const from = text.slice(0, 1 + (text.length % 3))
      const edit = { old_string: from, new_string: from + from, replace_all: true }
      return applyEdits(
        text,
        Array.from({ length: 30 }, () => edit),
        (bytes) => {
          if (bytes > BODY) throw new Refusal('invalid', 'too large')
        },
      )
    },
  },
  {
    at: 'src/text/diff.ts unifiedDiff',
    bound: 'time',
    most: BODY / 2,
    run: (text) => unifiedDiff(...half(text)),
  },
  {
    at: 'src/tasks/globs.ts meet',
    bound: 'steps',
    most: 400,
    run(text) {
      const [one, other] = half(text)
      if (patternProblem(one) ?? patternProblem(other)) return false
      return meet(patternOf(one), patternOf(other), { left: 100_000 })
    },
  },
  { at: 'src/text/slug.ts slugify', bound: 'size', most: 4 * KIB, run: slugify },
  { at: 'src/text/secrets.ts maskSecrets', bound: 'size', most: REQUEST, run: maskSecrets },
  {
    at: 'src/text/secrets.ts maskValue',
    bound: 'size',
    most: REQUEST,
    run: (text) => maskValue({ [text.slice(0, 100)]: [text] }, (each) => showText(each, 4_000)),
  },
  {
    at: 'src/text/show-text.ts showText',
    bound: 'size',
    most: REQUEST,
    run: (text) => showText(text, 4_000),
  },
  {
    at: 'src/text/own-blocks.ts withoutOwnBlocks',
    bound: 'size',
    most: REQUEST,
    run: (text) => withoutOwnBlocks(`loam-${text}`),
  },
  {
    at: 'src/text/context-block.ts contextBlock',
    bound: 'size',
    most: 200 * KIB,
    run: (text) => contextBlock('loam-briefing', text),
  },
  {
    at: 'src/text/context-block.ts capBlock',
    bound: 'size',
    most: 200 * KIB,
    run: (text) => capBlock(contextBlock('loam-briefing', text), { most: 9_600, unit: 'bytes' }),
  },
  {
    at: 'src/text/links.ts linksOf',
    bound: 'size',
    most: BODY,
    run: (text) => linksOf(text, (each) => each),
  },
  { at: 'src/text/text.ts oneLine', bound: 'size', most: BODY, run: (text) => oneLine(text, 150) },
  {
    at: 'src/text/frontmatter.ts parseFrontmatter',
    bound: 'size',
    most: 70 * KIB,
    run: (text) => parseFrontmatter(Buffer.from(`---\n${text}\n---\nbody`)),
  },
  {
    at: 'src/text/frontmatter.ts renderFrontmatter',
    bound: 'size',
    most: 32 * KIB,
    run: (text) => renderFrontmatter({ head: { title: text, tags: text.split(/[ ,]/) }, body: '' }),
  },
  {
    at: 'src/passages/item.ts cutItem',
    bound: 'size',
    most: BODY,
    run: (text) => cutItem({ kind: 'note', id: '', project: '', active: true, title: 'T', text }),
  },
  { at: 'src/passages/words.ts wordsOf', bound: 'size', most: 100_000, run: wordsOf },
  { at: 'src/passages/words.ts wordsAsked', bound: 'size', most: REQUEST, run: wordsAsked },
  {
    at: 'src/console/markdown.ts renderMarkdown',
    bound: 'turns',
    most: BODY,
    run: (text) => renderMarkdown(text),
  },
  {
    at: 'src/console/live/cursor.ts parseCursor',
    bound: 'size',
    most: 64 * KIB,
    run: (text) => parseCursor(`e~${text}~1:2:~1.${'A'.repeat(26)}`),
  },
  { at: 'src/capture/scan.ts scan', bound: 'worker', most: 2_048 * KIB, run: scan },
  {
    at: 'src/capture/decode.ts decode',
    bound: 'worker',
    most: 2_048 * KIB,
    run: (text) => decode(Buffer.from(text), null, 'html'),
  },
  { at: 'src/memories/stage.ts stageHeader', bound: 'size', most: BODY, run: stageHeader },
  {
    at: 'src/plans/vocabulary.ts titleOf',
    bound: 'size',
    most: BODY,
    run: (text) => titleOf(text),
  },
  { at: 'src/plans/vocabulary.ts readStamp', bound: 'size', most: BODY, run: readStamp },
  { at: 'src/plans/vocabulary.ts planFileName', bound: 'size', most: REQUEST, run: planFileName },
  {
    at: 'src/sessions/last-words.ts tellsAnything',
    bound: 'size',
    most: REQUEST,
    run: tellsAnything,
  },
  { at: 'src/projects/repo-map.ts normalPlace', bound: 'size', most: 4 * KIB, run: normalPlace },
  {
    at: 'src/kernel/suggest.ts suggest',
    bound: 'size',
    most: REQUEST,
    run: (text) => suggest(text, ['title', 'body', text.slice(1)]),
  },
  {
    at: 'src/kernel/suggest.ts nearest',
    bound: 'size',
    most: 4 * KIB,
    run: (text) => nearest(text, [text.slice(1), `${text}a`]),
  },
  {
    at: 'src/kernel/schema/reader.ts compileReader',
    bound: 'size',
    most: REQUEST,
    run(text) {
      const list = text.split(',')
      for (const read of readers.slice(0, 4))
        attempt(() => read({ tags: list, edits: text, paths: text, id: text }))
    },
  },
  {
    at: 'src/hooks/payload.ts readPayload',
    bound: 'steps',
    most: 8_192 * KIB,
    input: (text) => Buffer.from(JSON.stringify({ prompt: text })),
    run: readPayload,
  },
  {
    at: 'src/hooks/payload.ts readPayload',
    bound: 'steps',
    most: 8_192 * KIB,
    input: (text) => Buffer.from(`{"a":[${text.replace(/,$/, '')}]}`),
    run: readPayload,
  },
]

/** Other files that show signs of growth, and why nothing grows there. */
export const BOUNDED: Readonly<Record<string, string>> = {
  'src/briefing/sections.ts': 'lines that are cut before they are put together',
  'src/capture/readable.ts':
    'in a thread with a limit of memory and time, which capture/read.ts ends',
  'src/config/client-file.ts': 'the file of the one who runs the program',
  'src/config/file.ts': 'the file of the one who runs the program, read at the start',
  'src/console/errors.ts': 'patterns of our own routes',
  'src/console/sessions/steps.ts':
    'an answer as the log keeps it, which is cut, and lines that are cut before',
  'src/console/liquid.ts': 'templates of our own; what they show is cut where it is asked for',
  'src/console/render-once.ts': 'the same',
  'src/chat/ask.ts': 'an answer of the provider, whose size is limited',
  'src/documents/tags.ts': 'a tag has at most 100 characters',
  'src/documents/stale.ts': 'a hash is compared',
  'src/embeddings/ask.ts': 'an answer of the provider, whose size is limited',
  'src/embeddings/encoder-check.ts': 'a hundred vectors of a row each',
  'src/embeddings/learned/sample.ts': 'a sentence is taken from a passage, once',
  'src/embeddings/learned/model.ts': 'a model that this store has written',
  'src/passages/stems.ts': 'one word, which is cut',
  'src/passages/accents.ts': 'a passage at most, whose size is limited',
  'src/console/search/marks.ts': 'a class of characters of our own',
  'src/gardener/model/answer.ts': 'an answer of a model, whose size is limited',
  'src/gardener/passes/signature.ts': 'a question as the log keeps it, which is cut',
  'src/gardener/passes/template.ts': 'an error as the log keeps it, which is cut',
  'src/gardener/request/grammar/words.ts': 'patterns of our own, over one line of a request',
  'src/kernel/build.ts': 'files of our own',
  'src/kernel/kept-answers.ts': 'an answer of at most 64 KiB',
  'src/kernel/schema/bounds.ts': 'a value that was sent, in a request of limited size',
  'src/kernel/schema/value.ts': 'a text in a request of limited size',
  'src/mcp/message.ts': 'a request of limited size',
  'src/mcp/shown.ts': 'a value of at most 4,096 characters, or a part of a request of limited size',
  'src/postgres/feed.ts': 'a fixed number',
  'src/postgres/locks.ts': 'an answer of our own process',
  'src/postgres/sql-file.ts': 'statements of our own',
  'src/projects/file.ts': 'a file of at most 64 KiB',
  'src/projects/upkeep.ts': 'a file that projects/file.ts has read before',
  'src/sessions/findings.ts': 'one occurrence is taken out',
  'src/text/sections.ts': 'one heading, or the name of one, which is limited',
  'src/vault/intent.ts': 'files of our own',
  'src/vault/unindexed.ts': 'a file of our own, whose entries are limited',
  'src/recall/called.ts': 'names of at most 500 characters',
}

/** Runs it, and takes a refusal for an answer. */
export function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refusal || error instanceof Unreadable) return undefined
    throw error
  }
}
