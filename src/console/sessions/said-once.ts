/** A row names the item that it is about, so that neither the argument nor the answer need say it. */
import { slugify } from '../../text/slug.ts'
import type { EventItem } from '../events/items.ts'
import type { Step } from './steps.ts'

export type AboutStep<Row extends Step = Step> = Row & { about: EventItem | null }

/** @param item what the row is about; one that is gone has no name, and the argument stays as it was given */
export function saidOnce<Row extends Step>(step: Row, item: EventItem | undefined): AboutStep<Row> {
  if (!item || item.missing || item.name === '') return { ...step, about: null }
  const { id, name } = item
  const isItem = step.text.toUpperCase() === id || step.text === slugify(name)
  const text = isItem ? '' : without(step.text, name)
  const isNamed = [name, `“${name}”`].some((end) => step.answer.endsWith(end))
  const answer = isNamed && !step.failed ? '' : step.answer
  return { ...step, text, answer, about: item }
}

const without = (text: string, name: string): string =>
  text.endsWith(name) ? text.slice(0, -name.length).trim() : text
