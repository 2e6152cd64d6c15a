import { openWire } from '../helpers/wire.ts'
import { defineAttack, inParallel, none, quantile, type Random } from './attack.ts'
import { startProduct } from './product.ts'

const PIECES = [
  ...[
    '&',
    '|',
    '!',
    '<->',
    '<2>',
    ':*',
    ':ABCD',
    '(',
    ')',
    "'",
    "''",
    '"',
    '\\',
    "\\'",
    '$$',
    '%',
    '_',
  ],
  ...[
    '$1',
    ':name',
    '::',
    '--',
    '/*',
    '*/',
    ';',
    "'; drop table passages; --",
    '{{',
    '}}',
    '\u2028',
  ],
  ...[
    'tide',
    'cache',
    'the',
    'not',
    'tideCache',
    'src/tide.ts',
    'NULL',
    'c++',
    '=tide',
    "it's",
    'a.b.c',
  ],
  ...[
    '\t',
    '\r\n',
    '\u007f',
    '\u00ad',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ufffd',
    '\u0301',
    'ﬁ',
    'İ',
    '½',
    '٣',
  ],
  ...[
    '猫',
    '検索の設計',
    'ก็',
    '한',
    '🦊',
    '👩‍👩‍👧',
    '\ufdfa',
    'x'.repeat(3_000),
    '猫'.repeat(500),
    '1'.repeat(400),
  ],
]

/** As long as a question may be, in characters. */
const LONGEST = 20_000

/** As often as it fits into so many bytes. */
const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(JSON.stringify(piece).slice(1, -1))))

/** Text that no search was written for. A few are as long as a request may be. */
function anyQuestion(random: Random): string {
  const kind = random.int(2_000)
  if (kind === 0) return filled(random.pick(PIECES), 900_000)
  if (kind < 20) return Array.from({ length: 2_000 }, () => `w${random.int(50_000)}`).join(' ')
  const parts = Array.from({ length: 1 + random.int(12) }, () =>
    random.int(4) === 0 ? random.text(20) : random.pick(PIECES),
  )
  const text = parts.join(random.pick(['', ' ', '\n', '|', ' & ']))
  // What cannot be text at all is refused before it comes here.
  return text.toWellFormed().replaceAll('\0', '')
}

export const questions = defineAttack({
  id: 'S17',
  title: 'any text is a question: none fails, and none takes long',
  rounds: 100_000,

  async run({ rounds, random, timed, log }) {
    await using product = await startProduct({ LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '100000' })
    const wire = await openWire(product)
    const ask = (name: string, args: object) => wire.ask('tools/call', { name, arguments: args })

    for (let i = 0; i < 100; i++) {
      const body = `tide cache ${anyQuestion(random).slice(0, 20_000)}`
      await ask('notes_create', { title: `Note ${i}`, body, project: 'atlas' })
    }

    const wrong: unknown[] = []
    const times: number[] = []
    let [hits, refused] = [0, 0]
    await inParallel(rounds, 6, async () => {
      const query = anyQuestion(random)
      const start = performance.now()
      const { status, body } = await ask('recall', { query, project: 'atlas' })
      times.push(performance.now() - start)
      const { isError, structuredContent, content } = body?.result ?? { isError: true }
      const length = [...query].length
      if (length > LONGEST) {
        // No text is too long in silence: it is refused before it is taken apart, by its bound.
        const said = `query: must have at most ${LONGEST} characters, it has ${length}`
        if (isError && content?.[0]?.text.includes(said)) refused++
        else wrong.push({ length, status, answer: JSON.stringify(body).slice(0, 300) })
        return
      }
      const blank = query.trim() === ''
      if (status !== 200 || (isError && !blank)) {
        wrong.push({
          query: query.slice(0, 200),
          status,
          answer: JSON.stringify(body).slice(0, 300),
        })
      }
      hits += structuredContent?.hits.length ?? 0
    })

    const slowest = Math.max(...times.slice(0, 100_000))
    log(
      `${hits} hits, ${refused} refused as too long; ms: p50 ${quantile(times, 0.5).toFixed(1)}, ` +
        `p99 ${quantile(times, 0.99).toFixed(1)}, slowest ${slowest.toFixed(0)}`,
    )
    none(wrong, 'a question that failed')
    if (hits === 0) throw new Error('nothing was found at all: nothing was searched')
    if (timed && slowest > 5_000) throw new Error(`a question took ${slowest.toFixed(0)} ms`)
  },
})
