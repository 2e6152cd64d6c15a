import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupRules, lightEngine } from '../../src/postgres/embedded/light-parser.ts'

const I32 = 0x7f
const [END, ELSE, RETURN] = [0x0b, 0x05, 0x0f]
const block = (...code: number[]): number[] => [0x02, 0x40, ...code, END]
const loop = (...code: number[]): number[] => [0x03, 0x40, ...code, END]
const orElse = (yes: number[], no: number[]): number[] => [0x04, 0x40, ...yes, ELSE, ...no, END]
const jump = (depth: number): number[] => [0x0c, ...numbered(depth)]
const jumpIf = (depth: number): number[] => [0x0d, ...numbered(depth)]
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const whole = (value: number): number[] => [0x41, ...signed(value)]
const [ADD, AND, LESS] = [0x6a, 0x71, 0x48]

/** As the format has numbers without a sign, and with one. */
function numbered(value: number): number[] {
  return value < 128 ? [value] : [128 + (value % 128), ...numbered(Math.floor(value / 128))]
}

function signed(value: number): number[] {
  return value < 64 ? [value] : [128 + (value % 128), ...signed(Math.floor(value / 128))]
}

/** Locals: what is asked, what is answered, and how often something was done. */
const [ASKED, SAID, TIMES] = [0, 1, 2]
const say = (value: number): number[] => [...get(SAID), ...whole(value), ADD, ...set(SAID)]

/** What a rule of a switch may do, when so many blocks stand between its end and the place where all rules meet. */
const RULES = {
  ends: (value: number, out: number) => [...say(value), ...jump(out)],
  'goes on with the next': (value: number) => say(value),
  'ends at times': (value: number, out: number) => [
    ...get(ASKED),
    ...whole(1),
    AND,
    ...jumpIf(out),
    ...say(value),
    ...jump(out),
  ],
  'ends from within': (value: number, out: number) => [
    ...block(
      ...loop(
        ...get(TIMES),
        ...whole(1),
        ADD,
        ...set(TIMES),
        ...get(TIMES),
        ...whole(5),
        LESS,
        ...orElse(jump(1), []),
        ...say(value),
        ...jump(out + 2),
      ),
    ),
    ...jump(out),
  ],
  'leaves the function': (value: number) => [...whole(value), RETURN],
  'chooses anew': (value: number, out: number) => [
    ...say(value),
    ...block(
      ...get(ASKED),
      0x0e,
      ...numbered(1),
      ...numbered(0),
      ...numbered(out + 1),
      ...numbered(0),
    ),
    ...say(1),
    ...jump(out),
  ],
}
type Rule = keyof typeof RULES

/**
 * A module whose one function does what the rule of the number says that it is asked. The first rule has a place of its
 * own, with so many ways into it.
 */
function switchOf(rules: readonly Rule[], ways = 0): Uint8Array<ArrayBuffer> {
  const last = numbered(rules.length)
  const code = [
    ...rules.flatMap(() => [0x02, 0x40]),
    ...[...get(ASKED), 0x0e, ...last, ...rules.flatMap((_, rule) => numbered(rule)), ...last],
    END,
    ...block(...Array.from({ length: ways }, () => [...get(ASKED), ...jumpIf(0)]).flat()),
    ...rules.flatMap((does, rule) => [
      ...(rule > 0 ? [END] : []),
      ...RULES[does](rule * 3, rules.length - 1 - rule),
    ]),
  ]
  const body = [1, 2, I32, ...block(...code), ...get(SAID), END]
  const section = (id: number, ...bytes: number[]): number[] => [
    id,
    ...numbered(bytes.length),
    ...bytes,
  ]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, I32, 1, I32),
    ...section(3, 1, 0),
    ...section(7, 1, 1, 'f'.charCodeAt(0), 0, 0),
    ...section(10, 1, ...numbered(body.length), ...body),
  ])
}

function run(module: Uint8Array<ArrayBuffer>): (asked: number) => number {
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports['f'] as never
}

const ENGINE = fileURLToPath(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))

describe('a switch of very many rules', () => {
  test('does what it did once its rules are in groups, whatever they do', () => {
    const kinds = fc.constantFrom(...(Object.keys(RULES) as Rule[]))
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 60, maxLength: 60 }), (pattern) => {
        const rules = Array.from({ length: 2_999 }, (_, rule) => pattern[rule % 60]!)
        const module = switchOf([...rules, 'ends'])
        const before = run(module)
        const answers = Array.from({ length: 3_002 }, (_, asked) => before(asked))
        const grouped = module.slice()
        fc.pre(groupRules(grouped) === 1)
        expect(grouped).not.toEqual(module)
        const after = run(grouped)
        expect(answers.map((_, asked) => after(asked))).toEqual(answers)
      }),
      { numRuns: 5 },
    )
  })

  test.each([1_200, 4_000])('does so beside a place within a rule that %i ways lead to', (ways) => {
    const module = switchOf(
      Array.from({ length: 3_000 }, () => 'ends'),
      ways,
    )
    const before = run(module)
    const answers = Array.from({ length: 3_002 }, (_, asked) => before(asked))
    const grouped = module.slice()
    expect(groupRules(grouped)).toBe(ways < 3_000 ? 1 : 0)
    const after = run(grouped)
    expect(answers.map((_, asked) => after(asked))).toEqual(answers)
  })

  test('is left as it is while they are few', () => {
    const module = switchOf(Array.from({ length: 500 }, () => 'ends'))
    expect(groupRules(module.slice())).toBe(0)
  })

  test('is left as it is where something is not understood', () => {
    const module = switchOf(Array.from({ length: 3_000 }, () => 'ends'))
    const odd = module.slice()
    // An instruction of a later version.
    odd[odd.length - 4] = 0xfd
    const same = odd.slice()
    expect(groupRules(odd)).toBe(0)
    expect(odd).toEqual(same)
  })

  test('is left as it is where the module ends too early', () => {
    const module = switchOf(Array.from({ length: 3_000 }, () => 'ends'))
    for (const end of [0, 8, 30, 40, 5_000, module.length - 2]) {
      const part = module.slice(0, end)
      const same = part.slice()
      expect(groupRules(part)).toBe(0)
      expect(part).toEqual(same)
    }
  })
})

describe('the engine', () => {
  test('has its parser grouped, once, and is whole', async () => {
    const module = await readFile(ENGINE)
    expect(groupRules(module)).toBe(1)
    expect(WebAssembly.validate(module)).toBe(true)
    expect(groupRules(module)).toBe(0)
  })

  test('is compiled so', async () => {
    expect(await lightEngine()).toBeInstanceOf(WebAssembly.Module)
  })
})
