import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LineCounter, parseAllDocuments } from 'yaml'
import { invalid } from '../kernel/refusal.ts'

/** Returns the configuration file to read: the named one, else the first that exists. */
export async function findConfigFile(
  asked: string | undefined,
  cwd: string,
  home: string,
): Promise<string | undefined> {
  if (asked) return resolve(cwd, expandHome(asked, home))
  for (const place of [join(cwd, 'loam.yaml'), join(home, '.config/loam/loam.yaml')]) {
    if (await stat(place).catch(() => undefined)) return place
  }
  return undefined
}

export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path

/**
 * Returns the one mapping of a YAML file, as plain values. It refuses YAML that is not strict, by line, and
 * never repeats the text of a line, since it may hold a key.
 */
export async function readYaml(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${path}: the configuration file cannot be read (${error.code ?? 'unknown'})`)
  })
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  if (!Array.isArray(documents)) return {}
  const [document, second] = documents
  for (const problem of documents.flatMap((each) => [...each.errors, ...each.warnings])) {
    const { line, col } = lines.linePos(problem.pos[0])
    throw invalid(`${path}: line ${line}, column ${col} is not valid YAML (${problem.code})`)
  }
  if (second) throw invalid(`${path}: holds a second YAML document; only one is allowed`)
  const value: unknown = plain(document, path)
  if (value === null || value === undefined) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalid(`${path}: must hold a mapping of keys to values`)
  return value
}

function plain(document: { toJS(): unknown } | undefined, path: string): unknown {
  try {
    return document?.toJS()
  } catch {
    throw invalid(`${path}: uses more YAML aliases than are allowed`)
  }
}
