/** What a call is about, in one line. */
import { oneLine } from '../../text/text.ts'

/** What says most of a call, the first that it has. */
const TELLING = [
  'query',
  'prompt',
  'name',
  'title',
  'url',
  'slug',
  'lab',
  'memory_id',
  'note_id',
  'id',
  'findings',
]
/** They are the words of somebody, so they stand in quotation marks. */
const WORDS = ['query', 'prompt']

const LINE_CHARACTERS = 240

/** @param args of a call, as the log has them; '' when it has none */
export function argumentOf(args: unknown, most = LINE_CHARACTERS): string {
  if (typeof args !== 'object' || args === null) return ''
  const given = args as Record<string, unknown>
  const name = TELLING.find((each) => typeof given[each] === 'string' && given[each] !== '')
  if (name === undefined) {
    const [first] = Object.entries(given)
    return first === undefined ? '' : `${first[0]} ${lineOf(JSON.stringify(first[1]), most)}`
  }
  const text = lineOf(given[name], most)
  const kind = typeof given['kind'] === 'string' && name === 'name' ? `${given['kind']} ` : ''
  return WORDS.includes(name) ? `“${text}”` : kind + text
}

/** The text in one line; '' when it is none. */
export const lineOf = (value: unknown, most = LINE_CHARACTERS): string =>
  typeof value === 'string' ? oneLine(value, most) : ''
