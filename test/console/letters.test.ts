import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'
import { ownerOf, type Owner } from './owner.ts'

describe('letters of any script are found in whatever case, beside names', () => {
  let house: House
  let owner: Owner
  beforeEach(async () => {
    house = await openHouse()
    owner = ownerOf(house)
    await research(house)
    const agent = await house.connect()
    await agent.call('session_start', { name: 'Отчёт за май', project: 'atlas' })
    await agent.call('memory_write', {
      ...{ name: 'quay', kind: 'gotcha', description: 'Übersicht der Häfen', body: 'B' },
    })
    await agent.call('notes_create', { title: 'Éclair', body: 'B', plan: 'größe' })
    await agent.call('tasks_add', { title: 'Übersicht prüfen', plan: 'größe' })
    await tried(agent, 'Первый опыт', { lab: 'Кэш' })
  })
  afterEach(() => house[Symbol.asyncDispose]())

  test.each([
    ['/console/memories', 'übers', 'quay'],
    ['/console/memories', 'HÄFEN', 'quay'],
    ['/console/notes', 'éCL', 'Éclair'],
    ['/console/sessions', 'ОТЧ', 'Отчёт за май'],
    ['/console/sessions', 'отчёт', 'Отчёт за май'],
    ['/console/tasks', 'übers', 'Übersicht prüfen'],
    ['/console/tasks', 'GRÖß', 'Übersicht prüfen'],
    ['/console/plans', 'GRÖß', 'größe'],
    ['/console/trials', 'первый', 'Первый опыт'],
    ['/console/trials', 'кЭШ', 'Первый опыт'],
    ['/console/labs', 'кэш', 'Кэш'],
  ])('in the filter of %s by %s', async (path, q, found) => {
    const { body } = await owner.json(`${path}?q=${encodeURIComponent(q)}`)
    const { query: _, ...rows } = body as Record<string, unknown>
    expect(JSON.stringify(rows)).toContain(found)
  })

  test.each([
    ['отчёт за', 'Отчёт за май'],
    ['ТЧЁ', 'Отчёт за май'],
    ['übersi', 'Übersicht prüfen'],
    ['ервый', 'Первый опыт'],
    ['кэ', 'Первый опыт'],
    ['GRÖß', 'größe'],
  ])('in the search for %s', async (q, found) => {
    const { body } = await owner.json(`/console/search?fast=1&q=${encodeURIComponent(q)}`)
    const { groups } = body as { groups: { rows: { title: string; identifier: string }[] }[] }
    const names = groups.flatMap(({ rows }) =>
      rows.flatMap(({ title, identifier }) => [title, identifier]),
    )
    expect(names).toContain(found)
  })

  test('and a handle that is over as well', async () => {
    const agent = await house.connect()
    await agent.call('session_start', { name: 'Приёмка', project: 'atlas' })
    await agent.call('session_end', { findings: 'Всё готово' })
    for (const q of ['приём', 'ГОТОВО', 'приёмка']) {
      const asked = encodeURIComponent(q)
      const list = await owner.json(`/console/sessions?w=all&status=completed&q=${asked}`)
      expect((list.body as { sessions: object[] }).sessions, q).toHaveLength(1)
      const { body } = await owner.json(`/console/search?scope=sessions&q=${asked}`)
      expect((body as { total: number }).total, q).toBe(1)
    }
  })
})
