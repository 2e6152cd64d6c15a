/** The four public files. Their addresses carry a hash of their content, so browsers keep them for ever. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { joinScript } from './scripts.ts'

const PUBLIC = new URL('../../public/', import.meta.url)
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}
/** The order of the cascade: tokens, then the page, then one file a component. */
const FIRST = ['tokens.css', 'base.css', 'layout.css']

export interface Assets {
  urls: { css: string; interactions: string; search: string; favicon: string }
}

interface Asset {
  bytes: Buffer
  hash: string
}

/** Reads the files once and serves them under /static/, without a key. */
export function serveAssets(app: FastifyInstance): Assets {
  const files: Record<string, Asset> = {
    'console.css': asset(joinedCss()),
    'interactions.js': asset(joinedScript('interactions')),
    'search.js': asset(joinedScript('search')),
    'favicon.svg': asset(readFileSync(new URL('favicon.svg', PUBLIC))),
  }
  for (const [name, { bytes, hash }] of Object.entries(files)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]!
    app.get(`/static/${name}`, { config: { open: true } }, (request, reply) => {
      const { v } = request.query as { v?: string }
      const kept = v === hash ? 'public, max-age=31536000, immutable' : 'public, max-age=300'
      void reply.header('cache-control', kept).header('etag', `"${hash}"`).type(type)
      if (request.headers['if-none-match'] === `"${hash}"`) return reply.code(304).send()
      return reply.send(bytes)
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

function joinedCss(): Buffer {
  const folder = new URL('css/', PUBLIC)
  const rest = readdirSync(folder)
    .filter((name) => name.endsWith('.css') && !FIRST.includes(name))
    .sort()
  return Buffer.concat([...FIRST, ...rest].map((name) => readFileSync(new URL(name, folder))))
}

/** A script is a folder of modules, and its first module has the folder's name. */
const joinedScript = (name: string): Buffer =>
  Buffer.from(joinScript(new URL(`${name}/${name}.js`, PUBLIC)))

const asset = (bytes: Buffer): Asset => ({
  bytes,
  hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
})
