import { describe, expect, test } from 'vitest'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openHouse } from '../helpers/house.ts'

const fact = {
  name: 'Tide cache',
  kind: 'gotcha',
  description: 'The tide cache is never cold',
  body: 'It is filled at start.\n',
  project: 'harbor',
}

describe('memory_write', () => {
  test('keeps one fact as a file that says everything in its order', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    const answer = await agent.call('memory_write', { ...fact, tags: ['cache', 'tides'] })

    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      name: 'tide-cache',
      project: 'harbor',
      updated: false,
    })
    const text = await readFile(join(house.dir, 'memory/harbor/tide-cache.md'), 'utf8')
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    expect(text).toMatch(
      new RegExp(
        [
          '^---',
          `id: ${answer['id']}`,
          'kind: gotcha',
          'name: tide-cache',
          'description: The tide cache is never cold',
          'project: harbor',
          `created: (${time})`,
          'updated: \\1',
          'valid_from: \\1',
          'invalid_at: null',
          'superseded_by: null',
          'tags: \\[cache, tides\\]',
          '---',
          'It is filled at start\\.',
          '$',
        ].join('\n'),
      ),
    )
    expect(await house.events('memory.written')).toMatchObject([
      {
        item_id: answer['id'],
        project: 'harbor',
        payload: { name: 'tide-cache', kind: 'gotcha', updated: false },
      },
    ])
  })
})
