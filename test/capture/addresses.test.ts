import { BlockList } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { publicAddress } from '../../src/capture/addresses.ts'

/** The registries of special addresses, written down a second time. */
const SPECIAL4 = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 ' +
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32'
).split(' ')
const SPECIAL6 =
  '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 4000::/2 8000::/1 ::/3'.split(' ')

/** One list for each family: in a common one an IPv4 address counts as its mapped form too. */
function listed(ranges: readonly string[], family: 'ipv4' | 'ipv6'): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [network, bits] = range.split('/')
    list.addSubnet(network!, Number(bits), family)
  }
  return (address) => list.check(address, family)
}
const isSpecial4 = listed(SPECIAL4, 'ipv4')
const isSpecial6 = listed(SPECIAL6, 'ipv6')

const dotted = (number: number): string =>
  [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')

/** Every address is as likely near the edge of a range as anywhere. */
const anyIPv4 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(dotted),
  fc
    .tuple(fc.constantFrom(...SPECIAL4), fc.integer({ min: -3, max: 3 }), fc.boolean())
    .map(([range, by, last]) => {
      const [first, end] = edges(range)
      return dotted((last ? end : first) + by)
    }),
)

function edges(range: string): [number, number] {
  const [network = '', bits] = range.split('/')
  const first = network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return [first, first + 2 ** (32 - Number(bits)) - 1]
}

const anyIPv6 = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 }),
    fc.constantFrom(
      null,
      [0x2001, 0],
      [0x2001, 0x1ff],
      [0x2001, 0x200],
      [0x2001, 0xdb8],
      [0x2002],
      [0x2606],
      [0x3fff, 0xfff],
      [0x3fff, 0x1000],
      [0xfe80],
      [0xfec0],
      [0xfc00],
      [0xff02],
      [0x100, 0, 0, 1],
      [0x64, 0xff9b, 1],
      [0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0xffff, 0],
    ),
  )
  .map(([parts, head]) => new ipaddr.IPv6([...(head ?? []), ...parts].slice(0, 8)).toString())

describe('an address may be reached', () => {
  test('exactly when no registry of special addresses has it, in IPv4', () => {
    fc.assert(
      fc.property(anyIPv4, (address) => {
        expect(publicAddress(address)).toBe(isSpecial4(address) ? null : address)
      }),
      { numRuns: 3_000 },
    )
  })

  test('exactly when it is global unicast and not special, in IPv6', () => {
    fc.assert(
      fc.property(anyIPv6, (address) => {
        expect(publicAddress(address)).toBe(isSpecial6(address) ? null : address)
      }),
      { numRuns: 3_000 },
    )
  })

  test('never when the library gives its range a name', () => {
    fc.assert(
      fc.property(fc.oneof(anyIPv4, anyIPv6), (address) => {
        const range = ipaddr.parse(address).range()
        if (range !== 'unicast') expect(publicAddress(address)).toBeNull()
      }),
      { numRuns: 3_000 },
    )
  })

  test('by the IPv4 address that it carries, mapped or translated', () => {
    fc.assert(
      fc.property(anyIPv4, (address) => {
        const may = !isSpecial4(address)
        expect(publicAddress(`::ffff:${address}`)).toBe(may ? address : null)
        for (const prefix of ['64:ff9b::', '64:ff9b:1::']) {
          expect(publicAddress(`${prefix}${address}`) !== null).toBe(may)
        }
        for (const prefix of ['::', '::ffff:0:', '64:ff9b:1:a00:0:1', '64:ff9b:1:1:']) {
          expect(publicAddress(`${prefix}${prefix.endsWith(':') ? '' : '::'}${address}`)).toBeNull()
        }
      }),
    )
  })

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '::1%lo',
    'fe80::1%eth0',
    '[::1]',
  ])('only as a literal of the usual spelling, not as %j', (text) => {
    expect(publicAddress(text)).toBeNull()
  })
})
