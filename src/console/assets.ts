/** The four public files. Their addresses carry a hash of their content, so browsers keep them for ever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { joinScript, lean } from './scripts.ts'
import { compress, encodingFor, etagOf, isKnown, unchanged, type Encoding } from './thrift.ts'

const PUBLIC = new URL('../../public/', import.meta.url)
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}
/** The order of the cascade: tokens, then the page, then one file a component. */
const FIRST = ['tokens.css', 'base.css', 'layout.css']
/** They are made once. */
const QUALITY = 11

/** What `?n=1` to `?n=10` of the icon shows. */
const ICON_NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '9+']

export interface Assets {
  urls: { css: string; interactions: string; search: string; favicon: string }
}

interface Asset {
  bytes: Buffer
  hash: string
  /** Made when somebody takes the first one. */
  compressed: Map<Encoding, Promise<Buffer>>
}

/** Reads the files once and serves them under /static/, without a key. */
export function serveAssets(app: FastifyInstance): Assets {
  const worker = asset(joinedScript('worker'))
  const files: Record<string, Asset> = {
    'console.css': asset(joinedCss()),
    // The worker that all tabs share is another side of this script, so one hash stands for both.
    'interactions.js': asset(joinedScript('interactions'), `/* ${worker.hash} */\n`),
    'search.js': asset(joinedScript('search')),
    'favicon.svg': asset(readFileSync(new URL('favicon.svg', PUBLIC))),
  }
  const icon = files['favicon.svg']!.bytes
  const icons = new Map(
    ICON_NUMBERS.map((shown, at) => [String(at + 1), asset(numbered(icon, shown))]),
  )
  for (const [name, page] of Object.entries(files)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]!
    app.get(`/static/${name}`, { config: { open: true } }, async (request, reply) => {
      const { v, worker: asWorker, n } = request.query as Record<string, string | undefined>
      const isWorker = name === 'interactions.js' && asWorker !== undefined
      const served = isWorker ? worker : (name === 'favicon.svg' && icons.get(n ?? '')) || page
      const kept = v === page.hash ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
      const etag = etagOf(served.bytes)
      void reply.headers({ 'cache-control': kept, etag, vary: 'accept-encoding' }).type(type)
      if (isKnown(request, etag)) return reply.send(unchanged(reply))
      const encoding = encodingFor(request)
      if (encoding === undefined) return reply.send(served.bytes)
      return reply.header('content-encoding', encoding).send(await inEncoding(served, encoding))
    })
  }
  const url = (name: string): string => `/console/static/${name}?v=${files[name]!.hash}`
  return {
    urls: {
      css: url('console.css'),
      interactions: url('interactions.js'),
      search: url('search.js'),
      favicon: url('favicon.svg'),
    },
  }
}

function inEncoding({ bytes, compressed }: Asset, encoding: Encoding): Promise<Buffer> {
  const made = compressed.get(encoding) ?? compress(bytes, encoding, QUALITY)
  compressed.set(encoding, made)
  return made
}

/** The icon of a tab in which so many things need the owner; from ten on it says `9+`. */
function numbered(icon: Buffer, shown: string): Buffer {
  const badge =
    '<circle cx="44" cy="44" r="20" fill="#c2410c"/><text x="44" y="54" fill="#fff" ' +
    `font-family="sans-serif" font-size="28" font-weight="700" text-anchor="middle">${shown}</text>`
  return Buffer.from(icon.toString().replace('</svg>', `${badge}</svg>`))
}

function joinedCss(): Buffer {
  const folder = new URL('css/', PUBLIC)
  const rest = readdirSync(folder)
    .filter((name) => name.endsWith('.css') && !FIRST.includes(name))
    .sort()
  const texts = [...FIRST, ...rest].map((name) => readFileSync(new URL(name, folder), 'utf8'))
  return Buffer.from(lean(texts.join('')))
}

/** A script is a folder of modules, and its first module has the folder's name. */
const joinedScript = (name: string): Buffer =>
  Buffer.from(joinScript(new URL(`${name}/${name}.js`, PUBLIC)))

function asset(content: Buffer, end = ''): Asset {
  const bytes = Buffer.concat([content, Buffer.from(end)])
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { bytes, hash, compressed: new Map() }
}
