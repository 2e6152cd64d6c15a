import assert from 'node:assert/strict'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { openWire } from '../helpers/wire.ts'
import { defineAttack, inParallel, none, type Random } from './attack.ts'
import { startProduct } from './product.ts'

const PIECES = [
  ...[
    '..',
    '.',
    '/',
    '\\',
    '%2e%2e',
    '%2f',
    '..\\',
    '....//',
    '~',
    '-',
    '_',
    ' ',
    'a',
    'A',
    'ß',
    'ẞ',
  ],
  ...[
    'con',
    'NUL',
    'aux.md',
    'com1',
    'lpt¹',
    'prn.',
    'con .x',
    '.hidden',
    'x.',
    'x ',
    ':',
    '*',
    '?',
  ],
  ...[
    '"',
    '<',
    '>',
    '|',
    '\t',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u202e',
    '\u200d',
    '\ufeff',
  ],
  ...[
    'é',
    'e\u0301',
    'Å',
    '\u212b',
    'ﬁ',
    'İ',
    'i\u0307',
    'ı',
    'ſ',
    'K',
    '①',
    'ｆｕｌｌ',
    '／',
    '․․',
    '🦊',
  ],
  ...[
    'global',
    '_global',
    'all',
    'x'.repeat(255),
    'ü'.repeat(200),
    '\u0301'.repeat(90),
    'node_modules',
  ],
]

export const names = defineAttack({
  id: 'S13',
  title: 'no name leaves the data directory, and no two items share a file',
  rounds: 3_000,
  quick: true,

  async run({ rounds, random, log }) {
    await using product = await startProduct()
    const wire = await openWire(product)
    const wrong: unknown[] = []
    const ids = new Set<string>()
    const slugs = new Set<string>()
    const memories = new Map<string, unknown>()

    await inParallel(rounds, 6, async () => {
      const title = anyName(random)
      // A name that is no slug never becomes a project; most notes need one that stands.
      const project = random.int(3) > 0 ? 'atlas' : anyName(random)
      if (random.int(3) === 0) {
        const slug = random.int(2) === 0 ? { slug: anyName(random) } : {}
        const { body } = await wire.ask('tools/call', {
          name: 'project_create',
          arguments: { name: title, ...slug },
        })
        judge(body.result, { title, ...slug })
        return
      }
      if (random.int(2) === 0) return remember(title, project)
      const { body } = await wire.ask('tools/call', {
        name: 'notes_create',
        arguments: { project, title, body: 'x' },
      })
      const answer = judge(body.result, { project, title })
      if (!answer) return
      ids.add(answer['id'] as string)
      const key = `${String(answer['project'])}/${String(answer['slug'])}`
      const folded = key.normalize('NFKC').toLowerCase()
      if (slugs.has(folded)) wrong.push({ project, title, twice: key })
      slugs.add(folded)
    })

    /** The same name is the same memory: written again, it keeps its id. */
    async function remember(name: string, project: string): Promise<void> {
      const says = { kind: 'reference', description: 'x', body: 'x' }
      const { body } = await wire.ask('tools/call', {
        name: 'memory_write',
        arguments: { ...says, name, project },
      })
      const answer = judge(body.result, { project, name })
      if (!answer) return
      const key = `${String(answer['project'])}/${String(answer['name'])}`.normalize('NFKC')
      const known = memories.get(key.toLowerCase()) ?? answer['id']
      if (known !== answer['id']) wrong.push({ project, name, twice: key })
      memories.set(key.toLowerCase(), known)
    }

    function judge(result: any, sent: object): Record<string, unknown> | undefined {
      if (!result?.isError) return result?.structuredContent as Record<string, unknown>
      const text: string = result.content[0].text
      if (/internal error|\/tmp|ENOENT|ENAMETOOLONG/.test(text)) wrong.push({ sent, text })
      return undefined
    }

    const root = await realpath(product.service.dataDir)
    const notes = await filesBelow(join(root, 'notes'))
    const remembered = await filesBelow(join(root, 'memory'))
    for (const file of [...notes, ...remembered]) {
      const real = await realpath(file)
      const inside = relative(root, real)
      if (inside.startsWith('..') || inside.split(sep).length !== 3) wrong.push({ file: inside })
      if (Buffer.byteLength(file.split(sep).at(-1)!) > 255) wrong.push({ long: inside })
    }
    const outside = (await readdir(product.folder)).sort()
    log(`${ids.size} notes, ${memories.size} memories, ${notes.length + remembered.length} files`)
    none(wrong, 'a name that got through')
    assert.equal(notes.length, ids.size)
    assert.equal(remembered.length, new Set(memories.values()).size)
    assert.equal(remembered.length, memories.size)
    assert.deepEqual(
      outside.filter((name) => !['loam-data', '.config'].includes(name)),
      [],
    )
  },
})

function anyName({ int, pick, text }: Random): string {
  const pieces = Array.from({ length: 1 + int(4) }, () => (int(6) === 0 ? text(5) : pick(PIECES)))
  const name = pieces.join('').replaceAll('\0', '').toWellFormed()
  return int(4) === 0 ? name.toUpperCase() : name
}

async function filesBelow(directory: string): Promise<string[]> {
  if (!(await stat(directory).catch(() => undefined))) return []
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}
