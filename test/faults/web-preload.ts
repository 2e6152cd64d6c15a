/**
 * Loaded before the service: names that end in `.example` have a public address, and a connection to
 * that address goes to TEST_WEB_PORT of this machine. What judges addresses is the product's own.
 */
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const ADDRESS = '93.184.216.34'
const port = Number(process.env['TEST_WEB_PORT'])
const { lookup } = dns
const { connect } = net

dns.lookup = (async (name: string, options: object) =>
  name.endsWith('.example')
    ? [{ address: ADDRESS, family: 4 }]
    : lookup(name, options)) as typeof lookup
net.connect = ((...given: Parameters<typeof connect>) => {
  const [options] = given as unknown[]
  const there = typeof options === 'object' && (options as { host?: string }).host === ADDRESS
  return there ? connect({ host: '127.0.0.1', port }) : connect(...given)
}) as typeof connect
syncBuiltinESMExports()
