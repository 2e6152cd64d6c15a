/** Where a list stands: at an address of its own, or as a part of a project's page, to which it is held there. */
import type { TObject } from 'typebox'
import { linkQuery } from './parameters.ts'

export interface ListPlace {
  /** The address of its page. */
  base: string
  /** All that its links may say. */
  schema: TObject
  /** What they say wherever they lead: which part of the page it is. */
  beside: Readonly<Record<string, unknown>>
  /** Whether it is held to one project: then no menu offers others. */
  held: boolean
}

/** The page of the list itself. */
export const ownPlace = (base: string, schema: TObject): ListPlace => ({
  ...{ base, schema, beside: {}, held: false },
})

/** The parameters of the list there, as a link spells them. */
export const queryAt = ({ schema, beside }: ListPlace, query: object): string =>
  linkQuery(schema, { ...query, ...beside } as never)

/** The address of the list there. */
export const listAt = (place: ListPlace, query: object): string =>
  place.base + queryAt(place, query)

/** What a rail of items says of its place. */
export const railPlace = (place: ListPlace, query: object) => ({
  base: place.base,
  query: queryAt(place, query),
  /** Where an item is open beside the rail, but for its id; null where that is the page of the item. */
  item: place.held ? `${listAt(place, query)}&item=` : null,
})
