import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addToFamily,
  listFamilies,
  removeFromFamily,
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
  const add = (family: string, ...projects: string[]) => addToFamily(kernel, { family, projects })
  const remove = (family: string, ...projects: string[]) =>
    removeFromFamily(kernel, { family, projects })

  test('is its projects, sorted and each once', async () => {
    await add('tide', 'orders', 'atlas')
    await add('tide', 'atlas', 'delta')
    await add('acme', 'orders')
    expect(await listFamilies(kernel)).toEqual([
      { family: 'acme', projects: ['orders'] },
      { family: 'tide', projects: ['atlas', 'delta', 'orders'] },
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
    expect(await remove('tide', 'atlas')).toEqual({ family: 'tide', removed: 1 })
    expect(await remove('tide', 'atlas')).toEqual({ family: 'tide', removed: 0 })
    expect(await remove('tide')).toEqual({ family: 'tide', removed: 2 })
    await expect(remove('tide')).rejects.toThrow('no family "tide"')
  })

  test('is refused when its name or a member cannot be', async () => {
    await expect(add('Tide Tables', 'atlas')).rejects.toThrow('did you mean "tide-tables"')
    await expect(add('tide')).rejects.toThrow('name the projects')
    await expect(add('tide', 'global')).rejects.toThrow('the global scope is none')
    await expect(add('tide', '../x')).rejects.toThrow('invalid project')
  })

  test('of the configuration file is there too, and is changed only there', async () => {
    const config = { ...kernel.config, project_families: { tide: ['atlas', 'delta'] } }
    kernel = { ...kernel, config }
    await add('tide', 'orders')
    expect(await siblingsOf(kernel, 'atlas')).toEqual(['delta', 'orders'])
    await expect(remove('tide', 'delta')).rejects.toThrow('in the configuration file')
    await expect(remove('tide')).rejects.toThrow('in the configuration file')
    expect(await remove('tide', 'orders')).toMatchObject({ removed: 1 })
  })
})
