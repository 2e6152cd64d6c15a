/*
 * A table as CSV, made of the JSON of its page. `data-csv` names the list of rows in it, or several: "sessions",
 * "groups.rows", "ready blocked". `data-part` says that it has not all rows of the table.
 */
import { currentAddress } from './address.js'
import { showToast } from './toast.js'

const MOST_PAGES = 200
const KEPT_MS = 10_000
/* A spreadsheet would take what begins so for a formula, wherever the text comes from. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠]/u
/* Text that already stands there without its marks. */
const MARKED = /Html$/

/* The tables that can be saved, the one with the selected row first. */
export function tablesHere() {
  const all = [...document.querySelectorAll('[data-csv]')].filter((table) =>
    table.checkVisibility(),
  )
  const own = document.querySelector('.row[aria-current=true]')?.closest('[data-csv]')
  return own ? [own, ...all.filter((table) => table !== own)] : all
}

export const hasTable = () => document.querySelector('[data-csv]') !== null

/* What a table is called, for screen readers as well. */
export const nameOf = (table) =>
  table.getAttribute('aria-label') ??
  document.getElementById(table.getAttribute('aria-labelledby'))?.textContent ??
  'this table'

export async function saveCsv(table = tablesHere()[0]) {
  if (!table) return
  const paths = table.dataset.csv.split(' ').map((path) => path.split('.'))
  try {
    const { rows, isWhole } = await allRows(paths)
    if (rows.length === 0) return showToast('The table is empty.')
    save(`loam-${nameOfFile(paths)}-${day()}.csv`, csvOf(rows))
    const count = `${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'}`
    const isPart = table.hasAttribute('data-part')
    showToast(
      isPart ? `Saved ${count}; there are more.` : `Saved ${isWhole ? '' : 'the first '}${count}.`,
    )
  } catch {
    showToast('Nothing was saved: Loam does not answer yet.')
  }
}

/* The rows of every page that follows too, as the filters of this one have them. */
async function allRows(paths) {
  const url = currentAddress()
  url.hash = ''
  url.searchParams.set('format', 'json')
  url.searchParams.delete('page')
  const rows = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    if (page > 1) url.searchParams.set('page', page)
    const answer = await fetch(url)
    if (!answer.ok) throw new Error(`the page answers ${answer.status}`)
    const body = await answer.json()
    rows.push(...paths.flatMap((path) => listAt(body, path)))
    if (!(body.more > 0)) return { rows, isWhole: true }
    // What is cut and has no pages says so in the same way.
    if (!hasPages()) return { rows, isWhole: false }
  }
  return { rows, isWhole: false }
}

const hasPages = () => document.querySelector('.pager a[rel]') !== null

const listAt = (value, [name, ...rest]) => {
  if (Array.isArray(value))
    return value.flatMap((one) => listAt(one, [name, ...rest].filter(Boolean)))
  if (name === undefined) return [value]
  return listAt(value?.[name] ?? [], rest)
}

const nameOfFile = ([path, ...others]) =>
  path[0] === 'groups' || others.length > 0 ? sectionHere() : path.at(-1)
const sectionHere = () => location.pathname.split('/')[2] || 'overview'
const day = () => new Date().toISOString().slice(0, 10)

function csvOf(rows) {
  const flat = rows.map((row) => flattened(row))
  const columns = [...new Set(flat.flatMap((row) => Object.keys(row)))]
  const lines = [columns, ...flat.map((row) => columns.map((name) => row[name] ?? ''))]
  return lines.map((line) => line.map(cellOf).join(',')).join('\r\n')
}

/* { tokens: { input: 3 } } is the column tokens.input. */
function flattened(row, prefix = '') {
  const pairs = Object.entries(row).filter(([name]) => !MARKED.test(name))
  return Object.assign(
    {},
    ...pairs.map(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? flattened(value, `${prefix}${name}.`)
        : { [prefix + name]: value },
    ),
  )
}

function cellOf(value) {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = Array.isArray(value)
    ? value.map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one))).join('; ')
    : String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",;\r\n\t']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/* The mark before the text tells spreadsheets that it is UTF-8. */
function save(name, text) {
  const href = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv;charset=utf-8' }))
  const link = Object.assign(document.createElement('a'), { href, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(href), KEPT_MS)
}
