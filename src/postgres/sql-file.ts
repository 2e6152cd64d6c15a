import { readFileSync } from 'node:fs'
import { CompiledQuery } from 'kysely'
import { PLANNED_ANEW } from './embedded/kept-plans.ts'
import type { Db } from '../kernel/kernel.ts'

export const SQL = new URL('../../sql/', import.meta.url)

/** A query's text with `:name` turned into `$1`, and the names in the order of their numbers. */
export interface Prepared {
  text: string
  names: string[]
}

/** What may hold a colon that is no parameter: quotes, comments, dollar quotes, casts; then a parameter. */
const PIECES =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([a-zA-Z_]\w*)?\$[\s\S]*?\$\1\$|::|:([a-z_][a-z0-9_]*)/gi

/** Translates named parameters. The same name is the same parameter wherever it stands. */
export function prepare(source: string): Prepared {
  const names: string[] = []
  const text = source.replaceAll(PIECES, (piece: string, _tag: string, name?: string) => {
    if (!name) return piece
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

const read = (name: string): Prepared => prepare(readFileSync(new URL(`${name}.sql`, SQL), 'utf8'))

/** Returns the parameters that sql/<name>.sql names. */
export const namesIn = (name: string): string[] => read(name).names

/**
 * A query kept in sql/<name>.sql, read once. It is planned each time it is asked; with `kept` the
 * embedded database may keep its plan, for one that goes by keys whatever its parameters are.
 *
 * Runs in the database or transaction it is given. A parameter that is missing or that the query
 * does not know is an error of the caller, thrown before anything is sent; null must be said.
 */
export function sqlFile<Params extends object, Row>(
  name: string,
  { kept = false }: { kept?: boolean } = {},
): (db: Db, params: Params) => Promise<Row[]> {
  const { text: asked, names } = read(name)
  const text = kept ? asked : `${PLANNED_ANEW}${asked}`
  return async (db, params) => {
    const given = params as Record<string, unknown>
    const missing = names.filter((known) => given[known] === undefined)
    const unknown = Object.keys(given).filter((one) => !names.includes(one))
    if (missing.length > 0) throw new Error(`sql/${name}.sql needs ${missing.join(', ')}`)
    if (unknown.length > 0) throw new Error(`sql/${name}.sql does not know ${unknown.join(', ')}`)
    const values = names.map((known) => given[known])
    const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
    return rows as Row[]
  }
}
