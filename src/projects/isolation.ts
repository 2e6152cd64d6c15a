/** From the most open to the most closed. Set when a project is made and never changed by a tool. */
export const ISOLATION = ['open', 'confidential', 'sealed'] as const
export type Isolation = (typeof ISOLATION)[number]

declare const stored: unique symbol

/** A level as a row of the database tells it. A literal is none, so that nobody makes a place up. */
export type Level = Isolation & { readonly [stored]: true }

/** A project by its slug ('' is the global scope) and its level. Global and unregistered ones are open. */
export interface Place {
  readonly project: string
  readonly isolation: Level
}

export const GLOBAL: Place = { project: '', isolation: 'open' as Level }

/** Whether a fence stands around the project. What it lets through is judged by the database alone. */
export const isFenced = ({ isolation }: { isolation: Isolation }): boolean => isolation !== 'open'

/** Whether those who work there may read the global scope: what fence_allows says of it, known by heart. */
export const readsGlobal = ({ isolation }: Place): boolean => isolation !== 'sealed'

/** Returns the place at the more closed of two levels: a fence that was closed meanwhile is closed. */
export const closedTo = (place: Place, level: Level): Place => ({
  project: place.project,
  isolation:
    ISOLATION.indexOf(level) > ISOLATION.indexOf(place.isolation) ? level : place.isolation,
})
