/** What the head of a list offers: a filter, menus of links, and a chip for each thing that is set. */
import type { Static, TObject } from 'typebox'
import { linkQuery } from './parameters.ts'

export interface Option {
  /** '' sets nothing. */
  value: string
  label: string
  /** How many rows it would leave. */
  count?: number
}

export interface Choosing {
  /** Of the parameter. */
  name: string
  label: string
  options: readonly Option[]
  /** Something of it is always in force, such as an order or a window: the menu says which, and no chip. */
  always?: boolean
}

export interface Narrowable<Query extends TObject> {
  /** The address of the list. */
  base: string
  schema: Query
  values: Static<Query>
  /** The words of the filter for `q`; a list without them has no filter. */
  filter?: { label: string; placeholder: string }
  menus?: readonly Choosing[]
  /** Where on the page its links lead, with `#`. */
  anchor?: string
  /** What its links say wherever they lead. */
  beside?: Readonly<Record<string, unknown>>
}

/** Returns what views/partials/head.liquid shows beside title and count. */
export function narrowingOf<Query extends TObject>({
  base,
  schema,
  values,
  filter,
  menus = [],
  anchor = '',
  beside = {},
}: Narrowable<Query>) {
  const given: Record<string, unknown> = { ...values, ...beside }
  const { q = '', page: _, ...rest } = given
  const link = (change: Record<string, unknown>) =>
    base + linkQuery(schema, { ...given, ...change } as Static<Query>) + anchor
  const defaultOf = (name: string) => (schema.properties[name] as { default?: unknown }).default
  const valueOf = (name: string) => given[name] ?? defaultOf(name) ?? ''
  const labelOf = ({ name, options }: Choosing) =>
    options.find(({ value }) => value === valueOf(name))?.label ?? String(valueOf(name))
  const isSet = ({ name, always }: Choosing) => !always && valueOf(name) !== (defaultOf(name) ?? '')
  return {
    filter: filter ? { action: base, q, ...filter, kept: kept(schema, rest) } : null,
    menus: menus.map((menu) => ({
      name: menu.name,
      label: menu.label,
      value: menu.always ? labelOf(menu) : null,
      links: menu.options.map(({ value, label, count = null }) => ({
        label,
        count,
        href: link({ [menu.name]: value || undefined }),
        current: value === valueOf(menu.name),
      })),
    })),
    chips: [
      ...(q ? [{ label: `“${String(q)}”`, href: link({ q: '' }) }] : []),
      ...menus.filter(isSet).map((menu) => ({
        label: `${menu.label}: ${labelOf(menu)}`,
        href: link({ [menu.name]: undefined }),
      })),
    ],
    clear: base + linkQuery(schema, beside as Static<Query>),
  }
}

/** The fields of the filter's form that keep what is set beside it. */
const kept = (schema: TObject, rest: Record<string, unknown>) =>
  [...new URLSearchParams(linkQuery(schema, rest as never))].map(([name, value]) => ({
    name,
    value,
  }))
