/** The items that an event is about or surfaced, whichever screens show their kinds. */
import type { NamedItem, ScreenApp } from '../screen.ts'

export interface EventItem extends NamedItem {
  kind: string
  /** Where it is shown; null while no screen shows its kind, and when it is gone. */
  href: string | null
  missing: true | null
}

/** Returns them in the order of the ids; what is gone stays as a gap. */
export async function findItems(
  { kernel, owner, links, screens }: ScreenApp,
  ids: readonly string[],
): Promise<EventItem[]> {
  if (ids.length === 0) return []
  const found = await Promise.all(
    screens.map(async ({ item }) => {
      const named = (await item?.find?.(kernel.db, owner, ids)) ?? []
      return named.map((one) => ({ ...one, kind: item!.kind }))
    }),
  )
  const known = new Map(found.flat().map((one) => [one.id, one]))
  return ids.map((id) => {
    const item = known.get(id)
    return item ? { ...item, href: links.to(item.kind, id), missing: null } : gone(id)
  })
}

const gone = (id: string): EventItem => ({
  id,
  name: id,
  kind: '',
  description: '',
  project: '',
  href: null,
  missing: true,
})
