import Type, { type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { COMMANDS, isGroup, load, type Listed } from '../../src/cli/commands.ts'
import { screens } from '../../src/console/screens.ts'
import { streamConsole } from '../../src/console/live/stream.ts'
import { FIELDS, TOKENS } from '../../src/hooks/payload.ts'
import { isFree, type Shape } from '../../src/kernel/schema/shape.ts'
import { catalog } from '../../src/mcp/catalog.ts'
import { listTool } from '../../src/mcp/offers.ts'

/** Of these single texts are taken, none longer than a text may be. */
const FREE = ['.tool_input: an object of any size', '.tool_response: an object of any size']

const listed = COMMANDS.filter((entry): entry is Listed => !isGroup(entry))

describe('every text, list and object that a caller may send has a bound', () => {
  test.each(catalog.map((tool) => [tool.name, tool] as const))('to %s', (_, tool) => {
    expect(unbounded(tool.input)).toEqual([])
    if (tool.research) expect(unbounded(tool.research.input)).toEqual([])
  })

  test.each(listed)('to the operation of $name', async (entry) => {
    const { operation } = (await load(entry)) as { operation?: { input: TSchema } }
    expect(operation ? unbounded(operation.input) : []).toEqual([])
  })

  test('to the hooks', () => {
    const { sent, extracted, gone } = FIELDS
    const all = Type.Object({ ...sent, ...extracted, ...gone, ...TOKENS })
    expect(unbounded(all)).toEqual(FREE)
  })

  test('to the console', async () => {
    const schemas = await schemasOf(screens.map(({ routes }) => routes))
    const streamed = await schemasOf([streamConsole])
    const forms = screens.flatMap(({ writes = [] }) => writes.map(({ form }) => form))
    expect([schemas.length, streamed.length]).toEqual([expect.any(Number), 1])
    expect(schemas.length).toBeGreaterThan(6)
    for (const schema of [...schemas, ...streamed, ...forms]) expect(unbounded(schema)).toEqual([])
  })
})

test('a schema without a bound is found, however deep it lies', () => {
  const tag = Type.String()
  const schema = Type.Object({
    a: Type.Array(Type.Object({ tags: Type.Array(tag, { maxItems: 3 }) })),
    b: Type.Optional(Type.Object({})),
    c: Type.Enum(['x', 'y']),
    d: Type.String({ maxLength: 9 }),
    e: Type.Any(),
  })
  expect(unbounded(schema)).toEqual([
    '.a: a list of any length',
    '.a[].tags[]: a text of any length',
    '.b: an object of any size',
    '.e: an object of any size',
  ])
})

test('no list of tools shows a bound', () => {
  for (const tool of catalog) {
    expect(JSON.stringify(listTool(tool))).not.toMatch(/"max(?:Length|Items|Properties|Bytes)":\d/)
  }
})

type Routes = ((...asked: never[]) => unknown) | undefined

/** The schemas with which routes are declared. */
async function schemasOf(all: readonly Routes[]): Promise<TSchema[]> {
  const found: TSchema[] = []
  const declare = (_path: string, route: unknown): void => {
    const { schema = {} } = route as { schema?: Record<string, TSchema> }
    found.push(...Object.values(schema))
  }
  const kernel = { feed: {}, log: {}, clock: {}, config: {}, db: {} }
  const app = { kernel, get: declare, post: declare, addHook() {}, setValidatorCompiler() {} }
  for (const routes of all) await routes?.(app as never, {} as never)
  return found
}

interface Text extends Shape {
  cut?: number
  ulid?: boolean
  pattern?: string
}

/** What in a schema has no bound, by its path. */
function unbounded(schema: object, path = ''): string[] {
  const { type, items = {}, properties = {}, ...shape } = schema as Shape & { const?: unknown }
  if (shape.enum !== undefined || shape.const !== undefined) return []
  if (type === 'string') return isClosed(shape) ? [] : [`${path}: a text of any length`]
  if (type === 'array') {
    const own = shape.maxItems === undefined ? [`${path}: a list of any length`] : []
    return [...own, ...unbounded(items, `${path}[]`)]
  }
  const free = type === undefined || (type === 'object' && isFree({ properties }) && path !== '')
  if (free && shape.maxBytes === undefined) return [`${path}: an object of any size`]
  return Object.entries(properties).flatMap(([name, each]) => unbounded(each, `${path}.${name}`))
}

/** Bounded as it stands, cut to size by its edge, or of one form. */
const isClosed = ({ maxLength, cut, ulid, pattern = '' }: Text): boolean =>
  maxLength !== undefined || cut !== undefined || ulid === true || /^\^.*\}\$$/.test(pattern)
