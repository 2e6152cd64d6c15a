/**
 * The web at its worst, in a process of its own, so that its memory is not taken for the product's.
 *
 * Forked by hostile-pages.ts. The path says what is served: /pages/<n>, /servers/<n>, /soup/<seed>
 * or /harmless.
 */
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, createGzip, gzipSync, zstdCompressSync } from 'node:zlib'
import { seeded } from './attack.ts'

export interface Menu {
  port: number
  pages: string[]
  servers: string[]
}

const MIB = 1024 * 1024
/** What an ordinary long page is. */
const LONG = `<title>Long</title><article>${'<p>Words, and words again.</p>'.repeat(70_000)}</article>`
const HTML = { 'content-type': 'text/html' }

const markup = (head: string, unit: string, tail = ''): string =>
  head + unit.repeat(Math.floor((2 * MIB - head.length - tail.length) / unit.length)) + tail

/** Pages that nobody writes for readers. */
const PAGES: Record<string, () => string> = {
  'nests as deep as it is long': () => markup('<body>', '<div>'),
  'nests lists': () => markup('', '<ul><li>'),
  'nests tables': () => markup('', '<table><tr><td>'),
  'leaves formatting open': () => markup('<p>', '<b><i><p>x'),
  'closes what was never open': () => markup('', '</div></p>'),
  'is one title': () => markup('<title>', 'x'),
  'is one word': () => markup('<p>', 'x'),
  'is one attribute': () => `<a href="${markup('', 'x')}">x</a>`,
  'is all attributes': () => `<p ${markup('', 'a=b ')}>x</p>`,
  'is all entities': () => markup('<p>', '&amp;&#0;&#xd800;'),
  'is all breaks': () => markup('<p>', 'x<br><br>'),
  'is all links': () => markup('<p>', '<a href=/x>link, text</a> '),
  'is a table': () => markup('<table>', '<tr><td>a<td>b'),
  'is all scripts': () => markup('', '<script>1</script>'),
  'is all comments': () => markup('', '<!--x-->'),
  'is all frames': () => markup('', '<html'),
  'is all blanks': () => markup('<p>x', ' \u00a0\n'),
  'is all marks of markdown': () => markup('<article><p>', '*_[`#'),
  'is all drawings': () => markup('<svg>', '<g><title>x</title></g>'),
  'is all meta': () => markup('', '<meta property="og:title" content="x"><base href="data:,">'),
  'is mostly zeros': () => `<p>text${markup('x'.repeat(5_000), '\0')}`,
}

const ZEROS = Buffer.alloc(64 * MIB)

/** Servers that do not end, do not begin, or do not tell the truth. */
const SERVERS: Record<string, RequestListener> = {
  'never answers': () => {},
  'never ends its headers': (_, response) =>
    forever(
      response,
      () => response.socket?.write(`x-${Math.random()}: y\r\n`),
      50,
      () => response.socket?.write('HTTP/1.1 200 OK\r\n'),
    ),
  'says 100 for ever': (_, response) => forever(response, () => response.writeContinue(), 5),
  'sends a byte now and then': (_, response) =>
    forever(
      response,
      () => response.write('x'),
      200,
      () => response.writeHead(200, HTML),
    ),
  'never ends': (_, response) =>
    forever(
      response,
      () => response.write('<p>x</p>'.repeat(8_000)),
      1,
      () => response.writeHead(200, HTML),
    ),
  'never ends, compressed': (_, response) => {
    response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' })
    const gzip = createGzip()
    gzip.pipe(response)
    response.on('close', () => gzip.destroy())
    const more = (): void => {
      if (!gzip.destroyed) gzip.write(ZEROS.subarray(0, MIB), more)
    }
    more()
  },
  'is a bomb in gzip': packed('gzip', gzipSync(ZEROS)),
  'is a bomb in br': packed('br', brotliCompressSync(ZEROS)),
  'is a bomb in zstd': packed('zstd', zstdCompressSync(ZEROS)),
  'is a bomb in a bomb': packed('gzip, gzip', gzipSync(gzipSync(ZEROS))),
  'promises more than it sends': (_, response) => {
    response.writeHead(200, { ...HTML, 'content-length': 9_999 }).write('<p>x', () => {
      response.destroy()
    })
  },
  'sends more than it promises': ({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p>x<p>y')
  },
  'is no HTTP': ({ socket }) => void socket.end('\x16\x03\x01 hello'),
  'leads in a circle': ({ url }, response) => void response.writeHead(302, { location: url }).end(),
  'leads ever further': ({ url }, response) =>
    void response.writeHead(302, { location: `${url}${'x'.repeat(3_000)}` }).end(),
  'claims a charset that is none': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=\xff\xfe' }).end('<p>x'),
  'claims a charset that hides text': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=iso-2022-kr' }).end('<p>x'),
  'claims two bytes for each': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-16' }).end('<p>odd'),
}

function packed(encoding: string, bytes: Buffer): RequestListener {
  return (_, response) =>
    void response.writeHead(200, { ...HTML, 'content-encoding': encoding }).end(bytes)
}

/** Once `first`, then `again` every so many milliseconds while anybody listens. */
function forever(
  response: ServerResponse,
  again: () => unknown,
  every: number,
  first: () => unknown = () => {},
): void {
  first()
  const timer = setInterval(() => {
    if (response.writableLength < MIB) again()
  }, every)
  response.socket?.on('error', () => {})
  response.on('close', () => clearInterval(timer))
}

/** Tags, halves of tags and text in no order. */
function soup(seed: number): string {
  const random = seeded(seed)
  const tags = 'div p b table tr td ul li a svg title script style html body base br'.split(' ')
  const piece = (): string =>
    random.pick([
      () => `<${random.pick(tags)}>`,
      () => `</${random.pick(tags)}>`,
      () => `<${random.pick(tags)} ${random.text(6)}="${random.text(9)}`,
      () => random.text(20),
      () => '<!--',
      () => '-->',
    ])()
  return Array.from({ length: 2_000 }, piece).join('')
}

const [pages, servers] = [Object.values(PAGES), Object.values(SERVERS)]
const server = createServer((request, response) => {
  const [, kind, which = ''] = request.url!.split('/')
  response.on('error', () => {})
  if (kind === 'pages') response.writeHead(200, HTML).end(pages[Number(which)]!())
  else if (kind === 'harmless') response.writeHead(200, HTML).end(LONG)
  else if (kind === 'soup') response.writeHead(200, HTML).end(soup(Number(which)))
  else servers[Number.parseInt(which, 10)]!(request, response)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const menu: Menu = { port, pages: Object.keys(PAGES), servers: Object.keys(SERVERS) }
  process.send!(menu)
})
process.on('disconnect', () => process.exit())
