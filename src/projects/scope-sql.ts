import type { Db } from '../kernel/kernel.ts'
import { namesIn, sqlFile } from '../postgres/sql-file.ts'
import { boundBy, type AnyScope, type Bound, type Scope } from './scope.ts'

/** What a file may be told by its caller: anything but what the scope alone may tell. */
type Told<Params> = Params & { readonly [Name in Exclude<keyof Bound, keyof Params>]?: never }

/**
 * A query kept in sql/<name>.sql that is asked for a scope, which must be a real one.
 *
 * The scope provides `:searched`, `:everywhere`, `:caller`, `:level` and `:project`, as far as the file
 * names them, so that no caller can say them in its place.
 */
export function scopeSql<Params extends object, Row, By extends AnyScope = Scope>(
  name: string,
  how: { kept?: boolean } = {},
): (db: Db, scope: By, params: Told<Params>) => Promise<Row[]> {
  const names = namesIn(name)
  const ask = sqlFile<object, Row>(name, how)
  return (db, scope, params) => {
    const bound = Object.entries(boundBy(scope)).filter(([name]) => names.includes(name))
    return ask(db, { ...params, ...Object.fromEntries(bound) })
  }
}
