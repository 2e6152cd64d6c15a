/**
 * What browsers get of `public/`: two scripts, a worker and one style sheet, made of small files that people read. A
 * section whose style nobody else needs has a small sheet of its own beside it, so the one of all pages stays small. What
 * only an optional feature shows has a sheet and a script that come with nothing else.
 *
 * They are made when somebody takes the first one, by a program that ends again: a service that nobody looks at pays
 * nothing. So the address of each carries a hash of what it is made of.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'
import type { Feature } from '../features/features.ts'

const PUBLIC = fileURLToPath(new URL('../../public/', import.meta.url))
/** The order of the cascade: tokens, then the page, then one file a component. */
const FIRST = ['tokens.css', 'base.css', 'layout.css']
/** A script is a folder of modules, and its first module has the folder's name. */
const SCRIPTS = ['interactions', 'search', 'worker'] as const
/** Whose texts say their versions. */
const PACKAGES = ['esbuild', 'idiomorph/dist/idiomorph.esm.js']

/** `console.css` is of all pages; any other sheet is that of a section or a feature. */
export type Bundle = `${(typeof SCRIPTS)[number] | Feature}.js` | `${string}.css`

/** The sections that have a sheet of their own. */
export const sectionsWithSheets: readonly string[] = readdirSync(`${PUBLIC}css/sections`)
  .filter((name) => name.endsWith('.css'))
  .map((name) => basename(name, '.css'))

/** The optional features that have a sheet and a script of their own: a folder, and in it both by its name. */
export const featuresWithExtras = readdirSync(`${PUBLIC}features`) as readonly Feature[]

const LEAN: BuildOptions = {
  bundle: true,
  minify: true,
  write: false,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'silent',
  outdir: PUBLIC,
}

/** Of what the bundles are made and how: the same hash, the same content. 16 digits of hex. */
export function hashOfSources(folder = PUBLIC): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)))
  const { resolve } = createRequire(import.meta.url)
  for (const name of PACKAGES) hash.update(readFileSync(resolve(name)))
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/\.(?:js|css)$/.test(path))
      hash.update(`${path}\n`).update(readFileSync(join(folder, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

let made: Promise<Map<Bundle, Buffer>> | undefined

/**
 * All of them, made once in a process.
 *
 * @throws Error that names the file and the line, when one of them cannot be read or imports what is not there; the
 *   next one who asks has it tried again
 */
export function bundles(): Promise<Map<Bundle, Buffer>> {
  made ??= makeBundles().catch((error: unknown) => {
    made = undefined
    throw error
  })
  return made
}

async function makeBundles(): Promise<Map<Bundle, Buffer>> {
  const { build, stop } = await import('esbuild')
  try {
    const made = await Promise.all([
      build({
        ...LEAN,
        format: 'iife',
        entryPoints: [
          ...SCRIPTS.map((name) => `${PUBLIC}${name}/${name}.js`),
          ...featuresWithExtras.map((name) => `${PUBLIC}features/${name}/${name}.js`),
        ],
        entryNames: '[name]',
      }),
      build({
        ...LEAN,
        entryPoints: [
          ...sectionsWithSheets.map((name) => `${PUBLIC}css/sections/${name}.css`),
          ...featuresWithExtras.map((name) => `${PUBLIC}features/${name}/${name}.css`),
        ],
        entryNames: '[name]',
      }),
      build({
        ...LEAN,
        stdin: { contents: sheet(), loader: 'css', resolveDir: `${PUBLIC}css` },
        entryNames: 'console',
      }),
    ])
    const files = made.flatMap(({ outputFiles }) => outputFiles ?? [])
    return new Map(
      files.map(({ path, contents }) => [basename(path) as Bundle, Buffer.from(contents)]),
    )
  } finally {
    await stop()
  }
}

function sheet(): string {
  const names = readdirSync(`${PUBLIC}css`).filter((name) => name.endsWith('.css'))
  const rest = names.filter((name) => !FIRST.includes(name)).sort()
  return [...FIRST, ...rest].map((name) => `@import "./${name}";`).join('\n')
}
