import type { Kysely } from 'kysely'
import type { Tables } from '../postgres/tables.ts'

/** The database, or the transaction that is open on it. */
export type Db = Kysely<Tables>
