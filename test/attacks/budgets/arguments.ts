/** Arguments of tools by their own schemas: mostly of the kind that is meant, some of them hostile. */
import type { Shape } from '../../../src/kernel/schema/shape.ts'
import { ALIASES } from '../../../src/mcp/arguments.ts'
import { catalog } from '../../../src/mcp/catalog.ts'
import type { Random } from '../attack.ts'
import { anySize, anyText, anyWord, type Made } from './sizes.ts'
import type { Stock } from './stock.ts'

/** How much of a request a single value may take. */
type Room = { bytes: number }

const EDGES = [
  0,
  -1,
  1,
  -0,
  1.5,
  199,
  200,
  201,
  86_400,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e308,
  5e-324,
]

/** The tool's arguments: which are sent, and which of these are hostile, is chance. */
export function anyArguments(name: string, random: Random, stock: Stock): Made {
  const tool = catalog.find((each) => each.name === name)!
  const { properties = {}, required = [] } = { ...tool.input, ...tool.research?.input } as Shape
  const all = random.int(5) === 0
  const room = { bytes: anySize(random) }
  const sent = Object.entries(properties).filter(
    ([property]) => all || required.includes(property) || random.int(3) === 0,
  )
  const hostile = random.int(6) === 0 ? undefined : random.int(Math.max(1, sent.length))
  const entries = sent.map(([property, shape], at): [string, Made] => {
    const value =
      at === hostile
        ? anyValue(property, shape, random, room)
        : plainValue(name, property, shape, random, stock)
    return [
      random.int(8) === 0 ? random.pick([property, ...(ALIASES[property] ?? [])]) : property,
      value,
    ]
  })
  if (random.int(40) === 0) entries.push([String(anyWord(random)), anyText(random, room.bytes)])
  if (random.int(200) === 0) return anyText(random, room.bytes)
  if (random.int(200) === 0) return { make: 'wide', times: Math.ceil(room.bytes / 16), of: 1 }
  if (random.int(200) === 0) return { a: anyDepth(random, room) }
  return Object.fromEntries(entries)
}

/** A value with which the tool gets to work. */
function plainValue(
  tool: string,
  property: string,
  shape: Shape,
  random: Random,
  stock: Stock,
): Made {
  const known = stock.value(tool, property, random)
  if (known !== undefined && random.int(10) > 0) return known
  if (shape.enum) return String(random.pick(shape.enum))
  switch (shape.type) {
    case 'integer':
    case 'number':
      return Math.max(1, shape.minimum ?? 1)
    case 'boolean':
      return random.int(2) === 0
    case 'array':
      return shape.items?.type === 'object'
        ? [{ old_string: 'q', new_string: 'qq', replace_all: true }]
        : ['one', 'two']
    case 'object':
      return Object.fromEntries(Object.keys(shape.properties ?? { a: 1 }).map((each) => [each, 3]))
    default:
      return `words about ${property} ${random.int(50)}`
  }
}

/** A value that nobody meant. */
function anyValue(property: string, shape: Shape, random: Random, room: Room): Made {
  if (random.int(15) === 0) return ofAnotherType(random, room)
  switch (shape.type) {
    case 'integer':
    case 'number':
      return random.pick([...EDGES, '1e400', '0x10', ' 7 ', '9'.repeat(5_000), 'NaN'])
    case 'boolean':
      return random.pick(['true', ' false ', 1, 'x'])
    case 'array':
      return shape.items?.type === 'object'
        ? anyEdits(random, room)
        : property === 'paths'
          ? anyPaths(random, room)
          : anyList(random, room)
    case 'object':
      return anyObject(random, room)
    default:
      return random.int(6) === 0 ? anyWord(random) : anyText(random, room.bytes)
  }
}

const ofAnotherType = (random: Random, room: Room): Made =>
  random.pick<() => Made>([
    () => null,
    () => ({ make: 'list', times: Math.ceil(room.bytes / 8), of: 'a', numbered: true }),
    () => ({ make: 'list', times: Math.ceil(room.bytes / 4), of: {} }),
    () => ({ make: 'wide', times: Math.ceil(room.bytes / 14), of: 'a' }),
    () => anyDepth(random, room),
    () => anyText(random, room.bytes),
    () => random.pick(EDGES),
  ])()

const anyDepth = (random: Random, room: Room): Made => ({
  make: 'deep',
  times: Math.ceil(room.bytes / 7),
  seed: random.int(2),
})

/** Lists of up to 100,000 and more, of words alike or not, or one text that is to become a list. */
function anyList(random: Random, { bytes }: Room): Made {
  const of = random.pick([
    'a',
    'tag-',
    'plan:',
    '01K9ZC4T7Q8V2M5N6P3R1S0W',
    '猫',
    ' ',
    '\u0301',
    'a b',
  ])
  const each = Buffer.byteLength(JSON.stringify(of)) + 6
  const times = Math.ceil(bytes / each)
  return random.pick<() => Made>([
    () => ({ make: 'list', times, of, numbered: true }),
    () => ({ make: 'list', times: Math.ceil(bytes / (each - 5)), of }),
    () => ({ make: 'text', times: Math.ceil(bytes / 2), of: 'a,' }),
    () => ({ make: 'text', times: bytes, of: ',' }),
    () => ({ make: 'text', times: Math.ceil(bytes / 5), of: '"a",', before: '[', after: '' }),
    () => [anyText(random, bytes)],
  ])()
}

/** Edits that double, that are many, that find everything, nothing, or all of it once. */
function anyEdits(random: Random, { bytes }: Room): Made {
  const edit = (old_string: Made, new_string: Made, replace_all = true): Made => ({
    old_string,
    new_string,
    replace_all,
  })
  const from = random.pick(['q', 'a', ' ', '\n', '猫', 'ab', ''])
  const list = (times: number, of: Made): Made => ({ make: 'list', times, of })
  return random.pick<() => Made>([
    () => list(1 + random.int(40), edit(from, from + from)),
    () => list(1 + random.int(6), edit(from, { make: 'text', of: from || 'q', times: 1_000 })),
    () => list(Math.ceil(bytes / 60), edit(from, `${from}x`, false)),
    () => list(Math.ceil(bytes / 60), edit('', '')),
    () => [edit(from, { make: 'text', of: 'x', times: bytes })],
    () => [edit(anyText(random, bytes / 2), anyText(random, bytes / 2))],
    () => [edit(from, anyText(random, bytes), false)],
    () => ({
      make: 'text',
      of: '{"old_string":"q","new_string":"qq"},',
      times: Math.ceil(bytes / 50),
    }),
  ])()
}

/** Globs that branch, that may stand for anything, and many of them. */
function anyPaths(random: Random, { bytes }: Room): Made {
  const piece = (): string =>
    random.pick([
      '{a,b}',
      '*',
      '**/',
      '?',
      '[!a]',
      '[a-z]',
      'src/',
      '{a,{b,c}}',
      '*a',
      '{,x}',
      '\\*',
      '猫',
    ])
  const glob = (): Made => ({
    make: 'text',
    of: piece() + piece(),
    before: random.pick(['', '{a,b}'.repeat(6), '**/']),
    times: Math.min(bytes, random.pick([8, 40, 80, 100, 1_000, 100_000])),
  })
  return random.pick<() => Made>([
    () => [glob()],
    () => [glob(), glob(), glob()],
    () => ({ make: 'list', times: random.pick([20, 50, 100]), of: glob() }),
    () => ({
      make: 'list',
      times: random.pick([20, 1_000, 100_000]),
      of: 'src/**/*',
      numbered: true,
    }),
    () => anyList(random, { bytes }),
  ])()
}

const anyObject = (random: Random, room: Room): Made =>
  random.pick<() => Made>([
    () => ({ make: 'wide', times: Math.ceil(room.bytes / 14), of: 1 }),
    () => ({ make: 'wide', times: Math.ceil(room.bytes / 30), of: anyWord(random) }),
    () => ({ a: anyText(random, room.bytes) }),
    () => ({ a: anyDepth(random, room) }),
    () => ({ make: 'text', of: '{"a":', times: Math.ceil(room.bytes / 8), after: '}' }),
    () => ({ a: random.pick(EDGES), b: [random.pick(EDGES)], '': null, constructor: 1 }),
  ])()
