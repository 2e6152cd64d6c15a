import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type IPv4 = ipaddr.IPv4
type IPv6 = ipaddr.IPv6

/** An address of a public range that belongs to the host: a large cloud answers its virtual machines there. */
const NOT_PUBLIC = '168.63.129.16'

/** The addresses for use from anywhere. All others are reserved. */
const GLOBAL_UNICAST: [IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/** NAT64 translates these to the IPv4 address in the last four bytes. */
const NAT64: [IPv6, number][] = [
  [ipaddr.IPv6.parse('64:ff9b::'), 96],
  // The local prefix is a /48, and its operator chooses the place of the IPv4 address. With only zeros
  // before the last four bytes, every other choice reads 0.0.0.x.
  [ipaddr.IPv6.parse('64:ff9b:1::'), 96],
]

/**
 * Returns the address to connect to, or null when it is not public.
 *
 * The literal is as a resolver or the URL parser writes it. The IPv4 address inside an address decides,
 * and the result of an IPv4-mapped one is its IPv4 address.
 */
export function publicAddress(literal: string): string | null {
  // A zone names an interface of this machine.
  if (isIP(literal) === 0 || literal.includes('%')) return null
  if (isIP(literal) === 6) return public6(ipaddr.IPv6.parse(inHex(literal)))
  const address = ipaddr.IPv4.parse(literal)
  return isPublic4(address) ? address.toString() : null
}

/** Returns the literal without a dotted part: the library takes `::a.b.c.d`, which is invalid, for `::ffff:a.b.c.d`. */
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
