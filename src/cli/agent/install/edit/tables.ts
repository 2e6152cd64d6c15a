/** A table of ours in a TOML file of somebody else. */
import { invalid } from '../../../../kernel/refusal.ts'
import { holds, isObject, sameKind } from './members.ts'
import type { Draft, Part } from './parts.ts'
import { appendTable, hasHeader, removeTable, setKeys, type Table, tomlOf } from './toml.ts'

export function putTable(draft: Draft, part: Part): void {
  if (part.kind !== 'member') return
  const path = [...part.in, part.key]
  const there = tableAt(draft.text, path)
  const wanted = part.value as Table
  if (there === undefined) {
    draft.text = appended(draft.text, path, wanted)
    draft.outcomes[part.about ?? part.key] = 'added'
  } else if (!part.ours(there)) {
    draft.outcomes[part.about ?? part.key] = 'another of this name is there; it was left as it is'
  } else if (holds(there, wanted)) draft.outcomes[part.about ?? part.key] = 'unchanged'
  else {
    if (!isObject(there) || !hasHeader(draft.text, path))
      throw invalid(`not as it should be: "${path.join('.')}" is no table with a header of its own`)
    draft.text = sameKind(there, wanted)
      ? setKeys(draft.text, path, wanted)
      : appended(removeTable(draft.text, path), path, wanted)
    draft.outcomes[part.about ?? part.key] = 'updated'
  }
  // The writing is done by places; a parser says whether they were the right ones.
  if (!holds(tableAt(draft.text, path), wanted) && part.ours(tableAt(draft.text, path)))
    throw invalid(`not as it should be: "${path.join('.')}" cannot be written into it`)
}

/** With the table behind the last line. Refuses where the table around it is a value, which takes no header. */
function appended(text: string, path: readonly string[], table: Table): string {
  const longer = appendTable(text, path, table)
  try {
    tomlOf(longer)
  } catch {
    const box = path.slice(0, -1).join('.')
    throw invalid(
      `not as it should be: "${box}" stands there as one value { … }, to which no table can be added; ` +
        `give each table in it a header [${box}.name]`,
    )
  }
  return longer
}

export function takeTable(draft: Draft, part: Part): void {
  if (part.kind !== 'member') return
  const path = [...part.in, part.key]
  const there = tableAt(draft.text, path)
  if (there === undefined || !part.ours(there)) return
  if (!hasHeader(draft.text, path))
    throw invalid(`not as it should be: "${path.join('.')}" is no table with a header of its own`)
  draft.text = removeTable(draft.text, path)
  draft.outcomes[part.about ?? part.key] = 'removed'
}

const tableAt = (text: string, path: readonly string[]): unknown =>
  path.reduce<unknown>((table, key) => (isObject(table) ? table[key] : undefined), tomlOf(text))
