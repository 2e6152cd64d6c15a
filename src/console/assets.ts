/** The public files. Their addresses carry a hash of what they are made of, so browsers keep them for ever. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import {
  bundles,
  featuresWithExtras,
  hashOfSources,
  sectionsWithSheets,
  type Bundle,
} from './bundles.ts'
import type { Feature } from '../features/features.ts'
import { compress, encodingFor, etagOf, isKnown, unchanged, type Encoding } from './thrift.ts'

const ICON = new URL('../../public/favicon.svg', import.meta.url)
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}
/** They are made once. */
const QUALITY = 11

/** What `?n=1` to `?n=10` of the icon shows. */
const ICON_NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '9+']

export interface Assets {
  urls: { css: string; interactions: string; search: string; favicon: string }
  /** The address of the sheet of a section that has one of its own. */
  sheetOf(section: string | undefined): string | undefined
  /** What the feature brings along; undefined where it brings nothing. */
  extrasOf(feature: Feature): Extras | undefined
}

/** Addresses of a sheet and a script. */
export interface Extras {
  css: string
  script: string
}

interface Asset {
  /** Stands in its address. */
  hash: string
  bytes(): Promise<Buffer>
  /** Made when somebody takes the first one. */
  compressed: Map<Encoding, Promise<Buffer>>
}

/** Reads the files once and serves them under /static/, without a key. */
export function serveAssets(app: FastifyInstance): Assets {
  const hash = hashOfSources()
  const bundle = (name: Bundle): Asset => ({
    hash,
    bytes: async () => (await bundles()).get(name)!,
    compressed: new Map(),
  })
  const icon = readFileSync(ICON)
  // The worker that all tabs share is another side of the first script.
  const worker = bundle('worker.js')
  const files: Record<string, Asset> = {
    'console.css': bundle('console.css'),
    'interactions.js': bundle('interactions.js'),
    'search.js': bundle('search.js'),
    'favicon.svg': picture(icon),
    ...Object.fromEntries(
      [...sectionsWithSheets, ...featuresWithExtras].map(
        (name) => [`${name}.css`, bundle(`${name}.css`)] as const,
      ),
    ),
    ...Object.fromEntries(
      featuresWithExtras.map((name) => [`${name}.js`, bundle(`${name}.js`)] as const),
    ),
  }
  const icons = new Map(
    ICON_NUMBERS.map((shown, at) => [String(at + 1), picture(numbered(icon, shown))]),
  )
  for (const [name, page] of Object.entries(files)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]!
    app.get(`/static/${name}`, { config: { open: true } }, async (request, reply) => {
      const { v, worker: asWorker, n } = request.query as Record<string, string | undefined>
      const isWorker = name === 'interactions.js' && asWorker !== undefined
      const served = isWorker ? worker : (name === 'favicon.svg' && icons.get(n ?? '')) || page
      const kept = v === page.hash ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
      const bytes = await served.bytes()
      const etag = etagOf(bytes)
      void reply.headers({ 'cache-control': kept, etag, vary: 'accept-encoding' }).type(type)
      if (isKnown(request, etag)) return reply.send(unchanged(reply))
      const encoding = encodingFor(request)
      if (encoding === undefined) return reply.send(bytes)
      return reply
        .header('content-encoding', encoding)
        .send(await inEncoding(served, bytes, encoding))
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
    sheetOf: (section) =>
      section !== undefined && sectionsWithSheets.includes(section)
        ? url(`${section}.css`)
        : undefined,
    extrasOf: (feature) =>
      featuresWithExtras.includes(feature)
        ? { css: url(`${feature}.css`), script: url(`${feature}.js`) }
        : undefined,
  }
}

function inEncoding({ compressed }: Asset, bytes: Buffer, encoding: Encoding): Promise<Buffer> {
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

function picture(bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { hash, bytes: async () => bytes, compressed: new Map() }
}
