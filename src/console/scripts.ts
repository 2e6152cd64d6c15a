/**
 * Joins the modules of a folder of `public/` into one classic script, at the start of the service:
 * browsers get two scripts, readers of the source get small modules, and nothing is built.
 *
 * It understands what these modules use: imports of names, and exported functions and constants.
 * Anything else is an error at the start rather than one in a browser.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'

const IMPORT = /^import \{([^}]*)\} from '([^']+)'$\n?/gm
const EXPORT = /^export (?=(?:async )?function (\w+)|const (\w+))/gm
const OTHER = /^(?:import|export)\b.*$/m
const NAME = /^\w+$/

interface Module {
  /** What the module is called in the joined script. */
  variable: string
  exports: string[]
  text: string
}

/** Returns the script: one expression whose value holds what the first module exports. */
export function joinScript(entry: URL): string {
  const joined = new Map<string, Module>()
  const { variable } = join(entry, joined, [])
  const texts = [...joined.values()].map(({ text }) => text)
  return `(() => {\n'use strict'\n${texts.join('')}return ${variable}\n})()\n`
}

/** Adds a module after those that it imports. */
function join(url: URL, joined: Map<string, Module>, above: string[]): Module {
  const known = joined.get(url.href)
  if (known !== undefined) return known
  const file = basename(url.pathname)
  if (above.includes(url.href))
    throw new Error(`${file} imports itself through ${above.length} files`)
  const source = readFileSync(url, 'utf8')
  const head = [...source.matchAll(IMPORT)].map(([, names, from]) => {
    const imported = namesOf(names!)
    const module = from!.startsWith('.')
      ? join(new URL(from!, url), joined, [...above, url.href])
      : joinPackage(from!, imported, joined)
    const missing = imported.find((name) => !module.exports.includes(name))
    if (missing !== undefined) throw new Error(`${file}: ${from} does not export "${missing}"`)
    return `const { ${imported.join(', ')} } = ${module.variable}\n`
  })
  const exports = [...source.matchAll(EXPORT)].map(([, name, constant]) => (name ?? constant)!)
  const body = source.replaceAll(IMPORT, '').replaceAll(EXPORT, '')
  const [other] = OTHER.exec(body) ?? []
  if (other !== undefined) throw new Error(`${file}: cannot join "${other}"`)
  return add(url.href, joined, exports, `${head.join('')}${lean(body)}`)
}

/**
 * Without the comments that have lines of their own, and without indentation: browsers need neither. No text of
 * ours goes over several lines, which would lose it too.
 */
export const lean = (text: string): string =>
  text.replaceAll(/^[ \t]*(?:\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/.*)?[ \t]*\n|^[ \t]+/gm, '')

/** A package comes as its classic script, which declares the names that are imported of it. */
function joinPackage(name: string, exports: string[], joined: Map<string, Module>): Module {
  const path = createRequire(import.meta.url).resolve(`${name}/dist/${name}.min.js`)
  return joined.get(name) ?? add(name, joined, exports, `${readFileSync(path, 'utf8')}\n`)
}

function add(key: string, joined: Map<string, Module>, exports: string[], body: string): Module {
  const variable = `module${joined.size}`
  const text = `const ${variable} = (() => {\n${body}return { ${exports.join(', ')} }\n})()\n`
  const module = { variable, exports, text }
  joined.set(key, module)
  return module
}

function namesOf(list: string): string[] {
  const names = list.split(',').map((name) => name.trim())
  const wrong = names.find((name) => name !== '' && !NAME.test(name))
  if (wrong !== undefined)
    throw new Error(`cannot import "${wrong}": names are imported as they are`)
  return names.filter((name) => name !== '')
}
