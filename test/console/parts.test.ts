import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Concern } from '../../src/console/live/concerns.ts'
import { defineScreen } from '../../src/console/screen.ts'
import { switchFeatures } from '../../src/features/features.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf, type Owner } from './owner.ts'

/** How often each value of the page was read. */
const reads: Record<string, number> = {}
const counted = (name: string, value: unknown) => () => {
  reads[name] = (reads[name] ?? 0) + 1
  return Promise.resolve(value)
}

let misspelt: Concern = 'note.written'

const board = defineScreen({
  section: 'board',
  views: fileURLToPath(new URL('parts/views/', import.meta.url)),
  surfaces: [{ feature: 'gamification', label: 'A tape', owns: ['tape'] }],
  nav: {
    group: 'Tend',
    label: 'Board',
    key: 'z',
    badge: {
      tone: 'live',
      asks: 'on the board',
      count: counted('badge', 7) as never,
      concerns: ['session.started'],
    },
  },
  async routes(app) {
    app.get('', (_request, reply) =>
      reply.page('page', {
        title: 'Board & more',
        data: {
          plain: '<b>plain</b>',
          cards: counted('cards', ['one', 'two']),
          wire: counted('wire', ['x']),
          tape: counted('tape', 'the tape'),
        },
        only: { aside: counted('aside', 'only for the page') },
        live: {
          parts: {
            cards: ['task.*', { every: 60 }],
            wire: ['*', { kinds: ['*'], where: { session: 'S1' } }],
            tape: [{ every: 5 }],
          },
        },
      }),
    )
    app.get('/misspelt', (_request, reply) =>
      reply.page('page', {
        title: 'x',
        data: { cards: [], plain: '', wire: [], aside: null },
        live: { page: [misspelt] },
      }),
    )
  },
})

describe('a page that declares its parts', () => {
  let house: House
  let owner: Owner
  beforeAll(async () => {
    house = await openHouse({ screens: [board] })
    owner = ownerOf(house)
  })
  afterAll(() => house.close())

  const readBy = async (path: string) => {
    for (const name of Object.keys(reads)) delete reads[name]
    const answer = await owner.get(path)
    return { ...answer, reads: { ...reads } }
  }
  const told = async (path: string) => {
    const { text } = await owner.get(path)
    const [, told] = /<main [^>]*data-live="([^"]*)"/.exec(text)!
    return JSON.parse(told!.replaceAll('&#34;', '"').replaceAll('&quot;', '"'))
  }

  test('has them all, and reads each value once', async () => {
    const { text, reads } = await readBy('/console/board')
    expect(text).toContain('<ol id="cards">')
    expect(text).toContain('<p id="wire">')
    expect(text).toContain('only for the page')
    expect(reads).toEqual({ cards: 1, wire: 1, aside: 1, badge: 1 })
  })

  test('gives those alone that are asked for, and reads nothing else', async () => {
    const { text, reads } = await readBy('/console/board?parts=cards')
    expect(text).toBe(
      '<title>Board &amp; more · Loam</title>\n<ol id="cards"><li>one &lt;b&gt;plain&lt;/b&gt;</li><li>two &lt;b&gt;plain&lt;/b&gt;</li></ol>\n',
    )
    expect(reads).toEqual({ cards: 1 })
    const both = await readBy('/console/board?parts=wire,cards,wire')
    expect(both.text.match(/id="\w+"/g)).toEqual(['id="wire"', 'id="cards"'])
    expect(both.reads).toEqual({ cards: 1, wire: 1 })
  })

  test('has nothing of what a feature adds while that is off, and reads nothing for it', async () => {
    const shown = async () => {
      const { text, reads } = await readBy('/console/board')
      const { body } = await owner.json('/console/board')
      const part = await owner.get('/console/board?parts=tape')
      const parts = Object.keys((await told('/console/board')).parts)
      return [text.includes('the tape'), reads['tape'], body.tape, part.status, parts]
    }
    expect(await shown()).toEqual([false, undefined, undefined, 400, ['cards', 'wire']])
    await switchFeatures(house.app.kernel, 'console', { gamification: true })
    expect(await shown()).toEqual([true, 1, 'the tape', 200, ['cards', 'wire', 'tape']])
    await switchFeatures(house.app.kernel, 'console', { gamification: false })
  })

  test('gives the navigation with its counts like a part', async () => {
    const { text, reads } = await readBy('/console/board?parts=nav')
    expect(text).toMatch(/id="badge-board">.*<\/svg>7</)
    expect(text).not.toContain('id="cards"')
    expect(reads).toEqual({ badge: 1 })
  })

  test('refuses a part that it does not have, by name', async () => {
    const { status, text } = await owner.get('/console/board?parts=cards,none')
    expect(status).toBe(400)
    expect(text).toContain('valid values are cards, wire, nav')
  })

  test('has the values of its functions in JSON', async () => {
    const { body } = await owner.json('/console/board')
    expect(body).toEqual({ plain: '<b>plain</b>', cards: ['one', 'two'], wire: ['x'] })
  })

  test('tells the scripts which events concern it', async () => {
    const { page, parts, nav } = await told('/console/board')
    // A feature that is switched changes every page.
    expect(page).toEqual([{ kinds: ['settings.features_changed'] }])
    expect(parts.cards[0].kinds).toContain('task.transition')
    expect(parts.cards[1]).toEqual({ every: 60 })
    expect(parts.wire).toEqual([{ kinds: ['*'] }, { kinds: ['*'], session: ['S1'] }])
    expect(nav[0].kinds).toContain('session.started')
  })

  test('is asked for whole after every act when it declares nothing', async () => {
    const { page, parts } = await told('/console/parts')
    expect(page[0].kinds).toContain('note.written')
    expect(page[0].kinds).not.toContain('tool.call')
    expect(parts).toEqual({})
  })

  test('is asked for no more when it says that something is wrong', async () => {
    expect(await told('/console/nowhere')).toMatchObject({ page: [], parts: {} })
  })

  test('does not stand while it names a kind of event that there is not', async () => {
    expect((await owner.get('/console/board/misspelt')).status).toBe(200)
    misspelt = 'notes.*'
    expect((await owner.get('/console/board/misspelt')).status).toBe(500)
  })
})
