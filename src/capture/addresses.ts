import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type IPv4 = ipaddr.IPv4
type IPv6 = ipaddr.IPv6

/** Public by its range, and yet the host's own: where a large cloud answers its virtual machines. */
const NOT_PUBLIC = '168.63.129.16'

/** All that is given out to be reached from anywhere; what lies outside it is reserved. */
const GLOBAL_UNICAST: [IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** Translated to the IPv4 address in the last four bytes, by NAT64. */
const NAT64: [IPv6, number][] = [
  [ipaddr.IPv6.parse('64:ff9b::'), 96],
  // The local prefix is a /48 whose operator chooses where the address lies in it. With nothing but
  // zeros before the last four bytes every choice but this one reads 0.0.0.x.
  [ipaddr.IPv6.parse('64:ff9b:1::'), 96],
]

/**
 * The address to connect to, or null when it is none that everybody may reach.
 *
 * Takes a literal as a resolver or the URL parser writes it. An address that carries an IPv4 address
 * is judged by that one, and an IPv4-mapped one is answered as it.
 */
export function publicAddress(literal: string): string | null {
  // A zone names an interface of this machine.
  if (isIP(literal) === 0 || literal.includes('%')) return null
  if (isIP(literal) === 6) return public6(ipaddr.IPv6.parse(inHex(literal)))
  const address = ipaddr.IPv4.parse(literal)
  return isPublic4(address) ? address.toString() : null
}

/** Without a dotted part: the library takes `::a.b.c.d`, which leads nowhere, for `::ffff:a.b.c.d`. */
const inHex = (literal: string): string => new URL(`http://[${literal}]`).hostname.slice(1, -1)

function isPublic4(address: IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== NOT_PUBLIC
}

function public6(address: IPv6): string | null {
  if (address.isIPv4MappedAddress()) {
    const inner = address.toIPv4Address()
    return isPublic4(inner) ? inner.toString() : null
  }
  if (NAT64.some((range) => address.match(range))) {
    const inner = new ipaddr.IPv4(address.toByteArray().slice(12))
    return isPublic4(inner) ? address.toString() : null
  }
  const plain = address.range() === 'unicast' && address.match(GLOBAL_UNICAST)
  return plain ? address.toString() : null
}
