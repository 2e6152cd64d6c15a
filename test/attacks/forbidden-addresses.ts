import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Socket, type AddressInfo } from 'node:net'
import { pino } from 'pino'
import { fetchPage } from '../../src/capture/fetch.ts'
import { parseUrl } from '../../src/capture/target.ts'
import { loadConfig } from '../../src/config.ts'
import { openNetwork } from '../../src/kernel/network.ts'
import { defineAttack, inParallel, none, type Random } from './attack.ts'

const FORBIDDEN4 = (
  '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 ' +
  '192.168.0.1 192.168.255.255 169.254.169.254 169.254.170.2 100.64.0.1 100.100.100.200 ' +
  '100.127.255.255 192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 ' +
  '198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 168.63.129.16'
).split(' ')
const FORBIDDEN6 = (
  ':: ::1 fe80::1 febf::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 ff0e::1 2001:db8::1 3fff::1 100::1 ' +
  '100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 ' +
  '2002::1 2002:7f00:1:: 2002:808:808::1 64:ff9b:1:a00:0:1:: 64:ff9b:1:abcd::8.8.8.8 5f00::1 4000::1'
).split(' ')
const PUBLIC4 =
  '8.8.8.8 1.1.1.1 93.184.216.34 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 168.63.129.15 198.17.255.255 223.255.255.255'.split(
    ' ',
  )
const PUBLIC6 = '2606:2800:220:1::1 2001:4860:4860::8888 2001:200::1 2a00:1450::1'.split(' ')

/** One IPv4 address in every way that a URL can say it. */
function spellings4(address: string): string[] {
  const parts = address.split('.').map(Number)
  const [a, b, c, d] = parts as [number, number, number, number]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const [octal, hex] = [(n: number) => `0${n.toString(8)}`, (n: number) => `0x${n.toString(16)}`]
  return [
    address,
    `${address}.`,
    String(whole),
    octal(whole),
    hex(whole),
    hex(whole).toUpperCase(),
    parts.map(octal).join('.'),
    parts.map(hex).join('.'),
    parts.map((n) => `0x0000${n.toString(16)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${octal(a)}.${hex(b)}.${c}.${d}.`,
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    address.replaceAll('.', '。'),
    address.replaceAll(/\d/g, (digit) => `%3${digit}`),
    `[::ffff:${address}]`,
    `[0:0:0:0:0:FFFF:${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
  ]
}

/** In ways that carry an address nowhere anybody may go, whatever address it is. */
const nowhere = (address: string): string[] =>
  [`[::${address}]`, `[::ffff:0:${address}]`].concat(
    address === '0.0.0.0' ? [] : [`[64:ff9b:1:1::${address}]`],
  )

const spellings6 = (address: string): string[] => [
  `[${address}]`,
  `[${address.toUpperCase()}]`,
  `[${address}%25eth0]`,
  `[${address}%eth0]`,
]

/** As a resolver writes it. */
const answers = (address: string): string[] =>
  address.includes(':') ? [address, `${address}%eth0`] : [address, `::ffff:${address}`]

/** For what it is, and not because nothing answered there. */
const REFUSED =
  /^URL points to private\/loopback address|^URL names a host of a local network|^invalid URL|leads to an invalid URL/

interface Attempt {
  url: string
  /** What names resolve to, one list for each look-up in turn. */
  names?: Record<string, string[][]>
  /** Where the first page leads. */
  location?: string
}

export const forbiddenAddresses = defineAttack({
  id: 'S1',
  title: 'no page leads to a socket at an address that is not public, and no public one is refused',
  rounds: 20_000,
  once: true,
  quick: true,

  async run({ rounds, random, log }) {
    await using spy = await openSpy()
    const forbidden = everyAttempt([...FORBIDDEN4, ...FORBIDDEN6])
    for (let round = 0; round < rounds; round++) forbidden.push(randomAttempt(random))
    const passed: unknown[] = []
    await inParallel(forbidden.length, 16, async (index) => {
      const outcome = await spy.visit(forbidden[index]!)
      if (!REFUSED.test(outcome)) passed.push([forbidden[index], outcome])
    })
    none(passed, 'a forbidden address that was not refused as one')
    const opened = [...spy.sockets].filter((address) => !PUBLIC4.includes(address))
    none(opened, 'a socket to an address that is not public')
    log(`${forbidden.length} attempts, ${spy.opened()} sockets, all of them to public addresses`)

    const refused: unknown[] = []
    const open = publicAttempts()
    await inParallel(open.length, 16, async (index) => {
      const outcome = await spy.visit(open[index]!)
      if (outcome !== 'reached') refused.push([open[index], outcome])
    })
    none(refused, 'a public address that was refused')
    log(`${open.length} public attempts`)
    assert.ok(forbidden.length >= 500)
  },
})

/** Each address by itself, in a name's answer, among others, later, and behind a redirect. */
function everyAttempt(addresses: readonly string[]): Attempt[] {
  return addresses.flatMap((address): Attempt[] => {
    const isIPv4 = !address.includes(':')
    const hosts = isIPv4 ? [...spellings4(address), ...nowhere(address)] : spellings6(address)
    return [
      ...hosts.flatMap((host): Attempt[] => [
        { url: `http://${host}/` },
        { url: `https://user:pw@${host}:443/` },
        { url: 'http://first.example/', names: at('8.8.8.8'), location: `http://${host}/` },
        {
          url: 'http://first.example/',
          names: at('8.8.8.8'),
          location: `//${host}\\@first.example/`,
        },
      ]),
      ...answers(address).flatMap((answer): Attempt[] => [
        { url: 'http://name.example/', names: { 'name.example': [[answer]] } },
        { url: 'http://name.example./', names: { 'name.example.': [['8.8.8.8', answer]] } },
        { url: 'http://name.example/', names: { 'name.example': [[answer, '8.8.8.8']] } },
        {
          // The second look-up answers otherwise than the first.
          url: 'http://first.example/',
          names: { 'first.example': [['8.8.8.8'], [answer]] },
          location: '/again',
        },
        {
          url: 'http://first.example/',
          names: { ...at('8.8.8.8'), 'inner.example': [['1.1.1.1', answer]] },
          location: 'http://inner.example/',
        },
      ]),
    ]
  })
}

const at = (address: string): Record<string, string[][]> => ({ 'first.example': [[address]] })

function randomAttempt(random: Random): Attempt {
  const base = random.pick(FORBIDDEN4).split('.').map(Number)
  // Most of these ranges are at least a /24: its last byte may be anything.
  const last = random.pick([base[3]!, random.int(256)])
  const exact = ['168.63.129.16', '255.255.255.255', '0.0.0.0'].includes(base.join('.'))
  const address = exact ? base.join('.') : [...base.slice(0, 3), last].join('.')
  return random.pick(everyAttempt([address]))
}

function publicAttempts(): Attempt[] {
  return [
    ...PUBLIC4.flatMap((address) =>
      spellings4(address).map((host) => ({ url: `http://${host}/` })),
    ),
    ...PUBLIC6.map((address) => ({ url: `http://[${address}]/` })),
    ...[...PUBLIC4, ...PUBLIC6].flatMap((address) => [
      { url: 'http://name.example/', names: { 'name.example': [[address]] } },
      { url: 'http://first.example/', names: at(address), location: '/again' },
    ]),
  ]
}

interface Spy extends AsyncDisposable {
  /** Every address that a socket was opened to. */
  sockets: Set<string>
  opened(): number
  visit(attempt: Attempt): Promise<string>
}

/**
 * Watches `connect` of every socket of this process. The product's own dialling runs as it is; a
 * connection is led to a server here, so that nothing leaves the machine and none can be missed.
 */
async function openSpy(): Promise<Spy> {
  const locations = new Map<string, string>()
  const server = createServer((request, response) => {
    const location = locations.get(request.headers['user-agent'] ?? '')
    locations.delete(request.headers['user-agent'] ?? '')
    // Bytes of UTF-8, as servers send them.
    if (location) {
      response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end()
    } else response.writeHead(200, { 'content-type': 'text/html' }).end('<p>reached')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const sockets = new Set<string>()
  let opened = 0
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const [options] = (Array.isArray(given[0]) ? given[0] : given) as [{ host?: string }]
    sockets.add(String(options.host))
    opened++
    return Reflect.apply(connect, this, [{ host: '127.0.0.1', port }])
  } as typeof connect

  const { config } = await loadConfig({ env: { HOME: '/nowhere' }, cwd: '/' })
  const log = pino({ level: 'silent' })
  let visits = 0
  return {
    sockets,
    opened: () => opened,
    async visit({ url, names = {}, location }) {
      const userAgent = `spy-${++visits}`
      if (location) locations.set(userAgent, location)
      const left = new Map(Object.entries(names).map(([name, each]) => [name, [...each]]))
      const network = openNetwork({
        async resolve(name) {
          const each = left.get(name) ?? []
          return (each.length > 1 ? each.shift() : each[0]) ?? []
        },
      })
      try {
        const stop = new AbortController().signal
        await fetchPage({ config, network, log }, parseUrl(url), { userAgent, stop })
        return 'reached'
      } catch (error) {
        return (error as Error).message
      }
    },
    async [Symbol.asyncDispose]() {
      Socket.prototype.connect = connect
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
