/**
 * Returns the address of a request as one that can be decoded.
 *
 * A `%` before anything but two digits of an escape, and escapes that make no UTF-8, are refused by the framework
 * before any hook or route hears of them. Here they count as they stand: what they name is looked for, and the edge
 * that they lead to says in its own shape that it is not there.
 */
export function decodable(address: string): string {
  if (!address.includes('%')) return address
  const [path = ''] = address.split('?', 1)
  try {
    decodeURI(path)
    return address
  } catch {
    return path.replaceAll('%', '%25') + address.slice(path.length)
  }
}
