/** The address of each kind of item. Mounting a screen adds its kind; every page that names items asks here. */
import type { Links, ShownItem } from './screen.ts'

export interface LinkTable extends Links {
  /** Items of this kind have a page below the address. */
  add(item: ShownItem, address: string): void
}

export function linkTable(): LinkTable {
  const pages = new Map<string, { address: string; item: ShownItem }>()
  const to = (kind: string, id: string): string | null => {
    const page = pages.get(kind)
    return page ? `${page.address}/${encodeURIComponent(id)}` : null
  }
  return {
    add: (item, address) => void pages.set(item.kind, { item, address }),
    to,
    peek: (kind, id) =>
      pages.get(kind)?.item.fragments.includes('peek') ? `${to(kind, id)}?peek=1` : null,
  }
}
