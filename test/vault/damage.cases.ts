/** Ways in which a knowledge file may be damaged, odd or misplaced, each with what becomes of it. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { newId } from '../../src/kernel/id.ts'

/** Where a case does its damage: a project's directory of its own. */
export interface Place {
  /** The data directory. */
  root: string
  /** Of the case's project, absolute; `x.md` in it is the file in question. */
  folder: string
  /** That file, absolute. */
  file: string
  id: string
  /** Runs at the end of the test. */
  later(close: () => void): void
}

export interface Case {
  name: string
  /** `listed`: a problem for the owner; `indexed`: a note; `ignored`: none of our business. */
  becomes: 'listed' | 'indexed' | 'ignored'
  /** Words of the problem, or fields of the note. */
  says?: RegExp | Record<string, unknown>
  /** Of the file in question, below the project's directory. */
  path?: string
  /** Only for a user whom modes bind. */
  unprivileged?: boolean
  make(place: Place): Promise<unknown>
}

const TIMES = 'created: 2026-03-04T05:06:07.000Z\nupdated: 2026-03-04T05:06:07.000Z\n'

/** A healthy file, its head extended or replaced line by line. */
export function healthy(id: string, over: Record<string, string> = {}, body = 'A body.\n'): string {
  const lines = { id, title: 'A title', ...over }
  const head = Object.entries(lines).map(([key, value]) => `${key}: ${value}\n`)
  return `---\n${head.join('')}${TIMES}---\n${body}`
}

/** What no index makes smaller. */
const randomLetters = (count: number): string => randomBytes(count).toString('hex').slice(0, count)

const text = (of: (id: string) => string | Buffer) => (place: Place) =>
  writeFile(place.file, of(place.id))
const head = (over: Record<string, string>) => text((id) => healthy(id, over))
const torn = (at: (whole: string) => number) =>
  text((id) => {
    const whole = healthy(id, { title: 'Übergröße' })
    return Buffer.from(whole).subarray(0, at(whole))
  })
const rewritten = (change: (whole: string) => string) => text((id) => change(healthy(id)))

const listed = (name: string, make: Case['make'], says?: RegExp): Case =>
  says ? { name, make, says, becomes: 'listed' } : { name, make, becomes: 'listed' }
const indexed = (
  name: string,
  make: Case['make'],
  says: Record<string, unknown> = { title: 'A title', body: 'A body.\n' },
): Case => ({ name, make, says, becomes: 'indexed' })
const ignored = (name: string, path: string, make: Case['make']): Case => ({
  name,
  path,
  make,
  becomes: 'ignored',
})

const TORN: Case[] = [
  listed(
    'empty',
    text(() => ''),
    /it is empty/,
  ),
  listed(
    'nothing but blanks',
    text(() => ' \n\n'),
    /three dashes/,
  ),
  listed(
    'torn in the opening line',
    torn(() => 2),
    /three dashes/,
  ),
  listed(
    'torn behind the opening line',
    torn(() => 4),
    /not closed/,
  ),
  listed(
    'torn in a key',
    torn(() => 6),
    /not closed/,
  ),
  listed(
    'torn in the id',
    torn(() => 20),
    /not closed/,
  ),
  listed(
    'torn inside a character',
    torn((whole) => whole.indexOf('Ü') + 1),
    /UTF-8|not closed/,
  ),
  listed(
    'torn in a time',
    torn((whole) => whole.indexOf('updated') + 12),
    /not closed/,
  ),
  listed(
    'torn in the closing line',
    torn((whole) => whole.lastIndexOf('---') + 2),
    /not closed/,
  ),
  indexed(
    'torn in the body',
    rewritten((whole) => whole.slice(0, -4)),
    { body: 'A bo' },
  ),
  indexed(
    'a head and nothing else',
    rewritten((whole) => whole.slice(0, -8)),
    { body: '' },
  ),
  listed(
    'a body and no head',
    text(() => 'Just text.\n'),
    /three dashes/,
  ),
  listed(
    'blocks that never reached the disk',
    text(() => Buffer.alloc(4096)),
    /NUL|three dashes/,
  ),
]

const ENCODINGS: Case[] = [
  listed(
    'NUL in the body',
    rewritten((whole) => `${whole}\0`),
    /NUL/,
  ),
  listed('NUL spelled in the head', head({ description: '"a\\0b"' }), /NUL/),
  listed('half a surrogate spelled in the head', head({ description: '"\\ud800"' }), /surrogate/),
  indexed(
    'a byte order mark',
    rewritten((whole) => `\ufeff${whole}`),
  ),
  listed(
    'UTF-16',
    text((id) => Buffer.from(`\ufeff${healthy(id)}`, 'utf16le')),
    /UTF-8|NUL/,
  ),
  listed(
    'Latin-1',
    text((id) => Buffer.from(healthy(id, { title: 'Größe' }), 'latin1')),
    /UTF-8/,
  ),
  listed(
    'larger than 8 MiB',
    rewritten((whole) => whole + 'a'.repeat(9 << 20)),
    /larger than 8/,
  ),
  indexed(
    'carriage returns',
    rewritten((whole) => whole.replaceAll('\n', '\r\n')),
    {
      title: 'A title',
      body: 'A body.\r\n',
    },
  ),
  indexed(
    'no final newline',
    rewritten((whole) => whole.trimEnd()),
    { body: 'A body.' },
  ),
  indexed(
    'a line separator before dashes in a value',
    head({ description: '"a\u2028---\u2028b"' }),
    {
      description: 'a\u2028---\u2028b',
    },
  ),
]

const HEADS: Case[] = [
  listed('bad YAML', head({ tags: '[a, b' }), /not YAML/),
  listed('a tab for indentation', head({ tags: '\n\t- a' }), /not YAML/),
  listed('a key twice', head({ description: 'a\ndescription: b' }), /not YAML/),
  listed('an alias', head({ description: '&d a\nsource_url: *d' }), /aliases/),
  listed(
    'a list for a head',
    text(() => '---\n- a\n- b\n---\nB\n'),
    /keys and values/,
  ),
  listed(
    'an empty head',
    text(() => '---\n---\nB\n'),
    /keys and values/,
  ),
  listed('a head of 300 KiB', head({ other: 'x'.repeat(300 << 10) }), /64 KiB/),
  listed(
    'a head nested fifty thousand deep',
    head({ other: '['.repeat(50_000) }),
    /too many lines, brackets/,
  ),
  indexed('keys that are not ours', head({ reviewed_by: 'ana', nested: '{a: [1, 2]}' })),
  indexed('keys that mean something to JavaScript', head({ __proto__x: '1', constructor: '2' })),
  indexed('tags as a text', head({ tags: 'alone' }), { tags: ['alone'] }),
  indexed('tags as a number', head({ tags: '7' }), { tags: ['7'] }),
  indexed('tags as null', head({ tags: 'null' }), { tags: [] }),
  listed('tags as keys and values', head({ tags: '{a: 1}' }), /"tags" is not text/),
  listed('a tag with a value', head({ tags: '[a, {b: 1}]' }), /"tags" is not text/),
  indexed('a list with nothing for a tag', head({ tags: '[a, null]' }), { tags: ['a'] }),
  listed('a tag of a thousand words', head({ tags: `[${randomLetters(8_000)}]` }), /1000 bytes/),
  indexed('a number for a title', head({ title: '2026' }), { title: '2026' }),
  indexed('no title', head({ title: '' }), { title: 'x' }),
  listed('a list for a title', head({ title: '[a, b]' }), /not text/),
  listed('a title of 300 bytes', head({ title: 't'.repeat(300) }), /longer than 255/),
  listed('a title of two lines', head({ title: '"a\\nb"' }), /more than one line/),
  listed('bytes for a description', head({ description: '!!binary aGVsbG8=' }), /not text/),
  indexed('a word for the star', head({ favorite: 'perhaps' })),
  indexed('another project in the head', head({ project: 'elsewhere' })),
  indexed('another slug in the head', head({ slug: 'other' }), { slug: 'x' }),
]

const IDS_AND_TIMES: Case[] = [
  listed(
    'no id',
    text((id) => healthy(id).replace(/^id:.*\n/m, '')),
    /no "id"/,
  ),
  listed('an empty id', head({ id: '' }), /no "id"/),
  listed('a UUID', head({ id: '0198b1d2-7b5e-7000-8000-000000000000' }), /not a ULID/),
  listed(
    'a lower-case id',
    text((id) => healthy(id.toLowerCase())),
    /not a ULID/,
  ),
  listed('a number for an id', head({ id: '42' }), /not a ULID/),
  indexed(
    'no created',
    text((id) => healthy(id).replace(/^created.*\n/m, '')),
  ),
  indexed(
    'neither created nor updated',
    text((id) => healthy(id).replace(TIMES, '')),
  ),
  listed(
    'a word for a time',
    text((id) => healthy(id).replace(/^updated: .*$/m, 'updated: now')),
    /time/,
  ),
  listed(
    'a month that is none',
    text((id) => healthy(id).replace(/-03-/g, '-13-')),
    /time/,
  ),
  indexed(
    'a day without an hour',
    text((id) => healthy(id).replaceAll(/T05.*Z/g, '')),
  ),
  indexed(
    'a time far ahead',
    text((id) => healthy(id).replaceAll('2026', '9999')),
  ),
  {
    ...listed('the id of a later file', async ({ file, folder, id }) => {
      await writeFile(file, healthy(id))
      await writeFile(join(folder, 'y.md'), healthy(id).replace(/^updated: 2026/m, 'updated: 2027'))
    }),
    says: /same id as .*y\.md/,
  },
  indexed('the id of an earlier file', async ({ file, folder, id }) => {
    await writeFile(join(folder, 'y.md'), healthy(id))
    await writeFile(file, healthy(id).replace(/^updated: 2026/m, 'updated: 2027'))
  }),
]

const OUTSIDE = (place: Place) => join(place.root, `outside-${place.id}.md`)

const NOT_FILES: Case[] = [
  listed(
    'a link to a file of the store',
    async ({ file, folder, id }) => {
      await writeFile(join(folder, 'y.md'), healthy(id))
      await symlink('y.md', file)
    },
    /link/,
  ),
  listed(
    'a link to a file outside',
    async (place) => {
      await writeFile(OUTSIDE(place), healthy(place.id))
      await symlink(OUTSIDE(place), place.file)
    },
    /link/,
  ),
  listed('a link to nothing', ({ file }) => symlink('nothing', file), /link/),
  listed('a link to a directory', ({ file }) => symlink('/tmp', file), /link/),
  listed('a directory', ({ file }) => mkdir(file), /not a regular file/),
  listed('a pipe', async ({ file }) => execFileSync('mkfifo', [file]), /not a regular file/),
  listed(
    'a socket',
    ({ file, later }) =>
      new Promise<void>((resolve) => {
        const server = createServer().listen(file, resolve)
        later(() => server.close())
      }),
    /socket/,
  ),
  {
    ...listed('a file that may not be read', async ({ file, id }) => {
      await writeFile(file, healthy(id))
      await chmod(file, 0)
    }),
    says: /may not be read/,
    unprivileged: true,
  },
  indexed('a file with two names', async ({ root, file, id }) => {
    await writeFile(file, healthy(id))
    await link(file, join(root, `second-name-${id}`))
  }),
]

const NAMES: Case[] = [
  {
    ...listed('a name that is no slug', ({ folder, id }) =>
      writeFile(join(folder, 'My Note.md'), healthy(id)),
    ),
    path: 'My Note.md',
    says: /my-note\.md/,
  },
  {
    ...listed('a name in capitals', ({ folder, id }) =>
      writeFile(join(folder, 'README.md'), healthy(id)),
    ),
    path: 'README.md',
    says: /readme\.md/,
  },
  {
    ...listed('a name in another normal form', ({ folder, id }) =>
      writeFile(join(folder, 'u\u0308ber.md'), healthy(id)),
    ),
    path: 'u\u0308ber.md',
    says: /über\.md/,
  },
  ignored('another extension', 'x.markdown', ({ folder, id }) =>
    writeFile(join(folder, 'x.markdown'), healthy(id)),
  ),
  ignored('the extension in capitals', 'x.MD', ({ folder, id }) =>
    writeFile(join(folder, 'x.MD'), healthy(id)),
  ),
  ignored('a hidden file', '.x.md', ({ folder, id }) =>
    writeFile(join(folder, '.x.md'), healthy(id)),
  ),
  ignored('what an editor leaves', 'x.md~', ({ folder, id }) =>
    writeFile(join(folder, 'x.md~'), healthy(id)),
  ),
  ignored(
    'a temp file of a write that died',
    '.x.md.01K9ZC4T7Q8V2M5N6P3R1S0WXY.tmp',
    ({ folder, id }) =>
      writeFile(join(folder, '.x.md.01K9ZC4T7Q8V2M5N6P3R1S0WXY.tmp'), healthy(id)),
  ),
  ignored('a file one directory too deep', 'deeper/x.md', async ({ folder, id }) => {
    await mkdir(join(folder, 'deeper'))
    await writeFile(join(folder, 'deeper/x.md'), healthy(id))
  }),
  ignored('a file one directory too high', '../too-high.md', ({ folder, id }) =>
    writeFile(join(folder, '../too-high.md'), healthy(id)),
  ),
  ignored('a file in a hidden directory', '../.hidden/x.md', async ({ folder, id }) => {
    await mkdir(join(folder, '../.hidden'), { recursive: true })
    await writeFile(join(folder, '../.hidden/x.md'), healthy(id))
  }),
  ignored('a file in a linked directory', '../linked/x.md', async ({ root, folder, id }) => {
    await mkdir(join(root, 'target'), { recursive: true })
    await writeFile(join(root, 'target/x.md'), healthy(id))
    await symlink(join(root, 'target'), join(folder, '../linked'))
  }),
  {
    ...listed('a directory that is no slug', async ({ folder, id }) => {
      await mkdir(join(folder, '../No Slug'), { recursive: true })
      await writeFile(join(folder, '../No Slug/x.md'), healthy(id))
    }),
    path: '../No Slug/x.md',
    says: /rename it to no-slug/,
  },
]

export const CASES: readonly Case[] = [
  ...TORN,
  ...ENCODINGS,
  ...HEADS,
  ...IDS_AND_TIMES,
  ...NOT_FILES,
  ...NAMES,
]

export const freshId = (): string => newId(new Date())
