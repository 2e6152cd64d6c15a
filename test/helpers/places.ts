import {
  narrowed,
  scopeOf,
  type Isolation,
  type Place,
  type Scope,
} from '../../src/projects/projects.ts'

/** A place as some row told it a moment ago, for what is handed one. */
export const placeAs = (project: string, isolation: Isolation = 'open'): Place =>
  ({ project, isolation }) as Place

/** A scope that searches these projects and no other, for statements that are asked by themselves. */
export const scopeOver = (...searched: string[]): Scope =>
  narrowed(scopeOf(placeAs(searched.find(Boolean) ?? '')), searched)
