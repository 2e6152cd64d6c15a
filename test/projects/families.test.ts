import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addToFamily,
  findPlace,
  listFamilies,
  readSurroundings,
  removeFromFamily,
  saveFamily,
  siblingsOf,
} from '../../src/projects/projects.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('a family', () => {
  let house: House
  let kernel: Kernel
  beforeEach(async () => {
    house = await openHouse()
    kernel = house.app.kernel
  })
  afterEach(() => house[Symbol.asyncDispose]())
  const add = (family: string, ...projects: string[]) =>
    addToFamily(kernel, 'operator', { family, projects })
  const remove = (family: string, ...projects: string[]) =>
    removeFromFamily(kernel, 'operator', { family, projects })

  test('is its projects, sorted and each once', async () => {
    await add('tide', 'orders', 'atlas')
    await add('tide', 'atlas', 'delta')
    await add('acme', 'orders')
    expect(await listFamilies(kernel)).toEqual([
      { family: 'acme', projects: ['orders'], from: 'store' },
      { family: 'tide', projects: ['atlas', 'delta', 'orders'], from: 'store' },
    ])
    expect(await siblingsOf(kernel, 'orders')).toEqual(['atlas', 'delta'])
    expect(await siblingsOf(kernel, 'unknown')).toEqual([])
  })

  test('says which of its projects nobody has registered', async () => {
    await house.inside('atlas')
    expect(await add('tide', 'atlas', 'ghost')).toEqual({ family: 'tide', unregistered: ['ghost'] })
  })

  test('is joined by no fenced project, and then by none of that call', async () => {
    await house.inside('crypt', 'sealed')
    await house.inside('ledger', 'confidential')
    await expect(add('tide', 'atlas', 'crypt')).rejects.toThrow('crypt is sealed')
    await expect(add('tide', 'ledger')).rejects.toThrow('ledger is confidential')
    expect(await listFamilies(kernel)).toEqual([])
  })

  test('loses the projects that are named, or ends', async () => {
    await add('tide', 'atlas', 'delta', 'orders')
    const stays = { family: 'tide', ended: false, back: false }
    expect(await remove('tide', 'atlas')).toEqual({ ...stays, removed: 1 })
    expect(await remove('tide', 'atlas')).toEqual({ ...stays, removed: 0 })
    expect(await remove('tide')).toEqual({ ...stays, removed: 2, ended: true })
    await expect(remove('tide')).rejects.toThrow('no family "tide"')
  })

  test('is refused when its name or a member cannot be', async () => {
    await expect(add('Tide Tables', 'atlas')).rejects.toThrow('did you mean "tide-tables"')
    await expect(add('tide')).rejects.toThrow('name the projects')
    await expect(add('tide', 'global')).rejects.toThrow('the global scope is none')
    await expect(add('tide', '../x')).rejects.toThrow('invalid project')
  })

  test('is the same for who changes it, whoever that is: each change is told', async () => {
    await add('tide', 'atlas')
    // What changes nothing is told to nobody.
    await add('tide', 'atlas')
    await saveFamily(kernel, 'console', { family: 'tide', was: 'tide', projects: ['atlas'] })
    await house.inside('delta', 'open')
    const both = ['atlas', 'delta']
    await saveFamily(kernel, 'console', { family: 'tide', was: 'tide', projects: both })
    await remove('tide')
    const told = (await house.events('settings.families_changed')).map(({ payload }) => payload)
    expect(told).toEqual([
      { family: 'tide', members: ['atlas'], by: 'operator' },
      { family: 'tide', members: ['atlas', 'delta'], by: 'console' },
      { family: 'tide', members: [], by: 'operator' },
    ])
  })

  test('of the configuration file is there too, until a stored one takes its place', async () => {
    const config = { ...kernel.config, project_families: { tide: ['delta', 'atlas'] } }
    kernel = { ...kernel, config }
    const families = async () => listFamilies(kernel)
    expect(await families()).toEqual([
      { family: 'tide', projects: ['atlas', 'delta'], from: 'file' },
    ])
    await expect(remove('tide')).rejects.toThrow('in the configuration file')
    await add('tide', 'orders')
    expect(await families()).toEqual([
      { family: 'tide', projects: ['atlas', 'delta', 'orders'], from: 'store' },
    ])
    expect(await remove('tide', 'delta')).toMatchObject({ removed: 1 })
    expect(await siblingsOf(kernel, 'atlas')).toEqual(['orders'])
    const { siblings } = await readSurroundings(kernel, await findPlace(kernel.db, 'atlas'), [])
    expect(siblings, 'as briefings see it').toEqual(['orders'])
    await expect(
      saveFamily(kernel, 'console', { family: 'ebb', was: 'tide', projects: ['atlas'] }),
    ).rejects.toThrow('in the configuration file')
    await remove('tide')
    expect(await families()).toMatchObject([{ projects: ['atlas', 'delta'], from: 'file' }])
  })
})
