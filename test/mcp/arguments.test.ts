import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Agent, Answer } from '../helpers/agent.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'
import type { Wire } from '../helpers/wire.ts'

describe('arguments', () => {
  let edge: Edge
  let agent: Agent
  let wire: Wire
  beforeAll(async () => {
    edge = await openEdge()
    agent = await edge.connect()
    wire = await edge.wire()
  })
  afterAll(() => edge.close())

  const understood = async (args: Record<string, unknown>): Promise<Answer> =>
    (await agent.call('probe', args))['understood'] as Answer

  test.each([[undefined], [null], [{}]])('may be left out: %j', async (args) => {
    const { body } = await wire.ask('tools/call', { name: 'probe', arguments: args })
    expect(body.result.structuredContent.understood).toEqual({})
  })

  test.each([[[1]], ['body=x'], [7], [true]])('must be an object, not %j', async (args) => {
    const { status, body } = await wire.ask('tools/call', { name: 'probe', arguments: args })
    expect(status).toBe(200)
    expect(body.result).toEqual({
      content: [{ type: 'text', text: 'probe: arguments must be a JSON object' }],
      isError: true,
    })
  })

  describe('are understood when they are', () => {
    test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
      ['aliases of one parameter', { content: 'x' }, { body: 'x' }],
      ['several names with one value', { body: 'x', content: 'x', text: 'x' }, { body: 'x' }],
      ['an alias of the slug', { name: 'a' }, { slug: 'a' }],
      ['blanks in free text', { body: ' \r\n\t ' }, { body: ' \r\n\t ' }],
      ['empty free text', { body: '' }, { body: '' }],
      ['an empty enum, which is none', { kind: '' }, {}],
      ['an empty number, which is none', { limit: '', weight: '' }, {}],
      ['an empty list, which is none', { tags: '' }, {}],
      ['an empty object, which is none', { extra: '' }, {}],
      ['numerals', { limit: ' 7 ', weight: '-1.5e1' }, { limit: 7, weight: -15 }],
      ['whole numbers with a point', { limit: 7.0 }, { limit: 7 }],
      ['whole numerals with a point', { limit: '7.0' }, { limit: 7 }],
      ['true and false as words', { loud: ' true ' }, { loud: true }],
      ['a comma-separated list', { tags: ' a, b ,, c' }, { tags: ['a', 'b', 'c'] }],
      ['commas within braces', { tags: 'x{a,{b,c}}, d}, e' }, { tags: ['x{a,{b,c}}', 'd}', 'e'] }],
      ['commas behind an open brace', { tags: 'x{a, b' }, { tags: ['x{a', 'b'] }],
      [
        'brackets within items',
        { tags: '[id]/a.ts, b[c,d], [wip]' },
        { tags: ['[id]/a.ts', 'b[c', 'd]', '[wip]'] },
      ],
      ['a list with blanks', { tags: [' a ', '', '  '] }, { tags: ['a'] }],
      ['a list of nothing but blanks', { tags: [' ', ''] }, {}],
      ['a list as its JSON text', { tags: '["a","b, c"]' }, { tags: ['a', 'b, c'] }],
      ['an object as its JSON text', { extra: '{"a":{"b":1}}' }, { extra: { a: { b: 1 } } }],
      [
        'a list of objects as its JSON text',
        { edits: '[{"old_string":" a","new_string":"","replace_all":"true"}]' },
        { edits: [{ old_string: ' a', new_string: '', replace_all: true }] },
      ],
      ['an empty list of objects', { edits: [] }, {}],
      ['surrogate pairs', { body: '🦊' }, { body: '🦊' }],
    ])('%s', async (_, sent, expected) => {
      expect(await understood(sent)).toEqual(expected)
    })
  })

  describe('are refused when there is', () => {
    test.each<[string, Record<string, unknown>, string]>([
      [
        'an unknown name near a known one',
        { titel: 'x' },
        'unknown parameter "titel"; did you mean "title"? valid parameters: body, content, edits, ' +
          'extra, kind, limit, loud, name, session, session_id, slug, tags, text, title, weight',
      ],
      ['a name in capitals', { TITLE: 'x' }, 'unknown parameter "TITLE"; did you mean "title"?'],
      [
        'a short name one letter off',
        { nam: 'x' },
        'unknown parameter "nam"; did you mean "name"?',
      ],
      ['a name near none', { zebra: 1 }, 'unknown parameter "zebra"; valid parameters: body'],
      ['a query', { query: 'x' }, 'unknown parameter "query"; to search, use recall. valid'],
      ['two unknown names', { zz: 1, aa: 1 }, 'unknown parameter "aa"'],
      ['a prototype', JSON.parse('{"__proto__":{}}'), 'unknown parameter "__proto__"'],
      ['an inherited name', { constructor: 1 }, 'unknown parameter "constructor"'],
      ['a control character in a name', { 'a\n\u001b': 1 }, 'unknown parameter "a\\n\\u001b"'],
      [
        'a conflict',
        { body: 'a', text: 'b' },
        'conflicting values for "body" and "text"; pass one of body, content, text',
      ],
      [
        'a conflict of aliases',
        { content: 'a', text: 'b' },
        'conflicting values for "content" and "text"; pass one of body, content, text',
      ],
      ['a number for text', { body: 7 }, 'invalid body: expected a string, got number'],
      ['null', { body: null }, 'invalid body: expected a string, got null'],
      ['null for a list', { tags: null }, 'invalid tags: expected an array of strings, got null'],
      ['a list for text', { body: ['a'] }, 'invalid body: expected a string, got array'],
      ...["['a', 'b']", "['a']", '[a, b]', ' [a,b] ', '["a", "b",]', '["a", "b'].map(
        (tags): [string, Record<string, unknown>, string] => [
          `${tags} for a list`,
          { tags },
          'invalid tags: a list in brackets must be JSON, as in ["a", "b"]; or pass a, b',
        ],
      ),
      ['words for a number', { limit: 'ten' }, 'invalid limit: expected an integer, got string'],
      ['hex for a number', { weight: '0x10' }, 'invalid weight: expected a number, got string'],
      ['a list for a number', { weight: [1] }, 'invalid weight: expected a number, got array'],
      ['a fraction', { limit: 1.9 }, 'invalid limit: expected an integer, got 1.9'],
      ['a fraction as text', { limit: '1.9' }, 'invalid limit: expected an integer, got 1.9'],
      ['too large a number', { weight: 2 ** 60 }, 'invalid weight: expected a number between'],
      ['a number below', { limit: 0 }, 'invalid limit: must be >= 1'],
      ['a number above', { limit: 101 }, 'invalid limit: must be <= 100'],
      ['an empty boolean', { loud: '' }, 'invalid loud: expected true or false, got string'],
      ['a number for a boolean', { loud: 1 }, 'invalid loud: expected true or false, got number'],
      ['yes', { loud: 'yes' }, 'invalid loud: expected true or false, got string'],
      ['an unknown value', { kind: 'Note' }, 'invalid kind "Note": valid values are note, memory'],
      [
        'an item of another type',
        { tags: ['a', 7] },
        'invalid tags[1]: expected a string, got number',
      ],
      [
        'an object for a list',
        { tags: {} },
        'invalid tags: expected an array of strings, got object',
      ],
      [
        'text for objects',
        { edits: 'a' },
        'invalid edits: expected an array of objects, got string',
      ],
      [
        'an item that is no object',
        { edits: ['a'] },
        'invalid edits[0]: expected an object, got string',
      ],
      [
        'an item without its part',
        { edits: [{ old_string: 'a' }] },
        'edits[0]: new_string is required',
      ],
      [
        'an item with a wrong part',
        {
          edits: [
            { old_string: 'a', new_string: 'b' },
            { old_string: 1, new_string: 'b' },
          ],
        },
        'invalid edits[1].old_string: expected a string, got number',
      ],
      [
        'an item with an unknown part',
        { edits: [{ old_string: 'a', new_string: 'b', all: true }] },
        'edits[0]: unknown parameter "all"; valid: new_string, old_string, replace_all',
      ],
      ['text for an object', { extra: 'null' }, 'invalid extra: expected an object, got string'],
      ['a list for an object', { extra: '[]' }, 'invalid extra: expected an object, got string'],
      ['an empty title', { title: '' }, 'invalid title: must not be empty'],
      [
        'a long title',
        { title: '😀'.repeat(21) },
        'invalid title: must have at most 20 characters, it has 21',
      ],
      ['a NUL', { body: 'a\0b' }, 'invalid body: it holds a NUL character (U+0000)'],
      [
        'a NUL in JSON text',
        { extra: '{"a":"\\u0000"}' },
        'invalid extra.a: it holds a NUL character',
      ],
      ['a NUL in a list', { tags: ['a', '\0'] }, 'invalid tags[1]: it holds a NUL character'],
      ['half a pair', { body: '\ud83e' }, 'invalid body: it holds half a surrogate pair'],
      [
        'half a pair in an item',
        { edits: [{ old_string: '\udd8a', new_string: 'b' }] },
        'invalid edits[0].old_string: it holds half a surrogate pair',
      ],
      ['a chasm', { extra: nested(40) }, 'nested more than 32 levels deep'],
      [
        'two mistakes',
        { weight: 'x', limit: 'x' },
        'invalid limit: expected an integer, got string',
      ],
    ])('%s', async (_, sent, message) => {
      const { body } = await wire.ask('tools/call', { name: 'probe', arguments: sent })
      const text: string = body.result.content[0].text
      expect(body.result.isError).toBe(true)
      expect(text.startsWith('probe: ')).toBe(true)
      expect(text).toContain(message)
      expect(text).not.toContain('\n')
    })

    test.each<[Record<string, unknown>, string]>([
      [
        {},
        'demand: missing required: "body" (or "content", "text"), "kind" (one of note, memory), "title"',
      ],
      [
        { text: 'x', kind: '', title: '' },
        'demand: missing required: "kind" (one of note, memory)',
      ],
      [{ titel: 'x' }, 'demand: unknown parameter "titel"; did you mean "title"?'],
    ])('something missing in %j', async (args, message) => {
      await expect(agent.call('demand', args)).rejects.toThrow(message)
    })
  })

  test('of a million nested lists do no harm', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`
    const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"probe","arguments":{"extra":${deep}}}}`
    const { status, body } = await wire.send({ body: request })
    expect([status, body.result.isError]).toEqual([200, true])
  })
})

function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) }
}
