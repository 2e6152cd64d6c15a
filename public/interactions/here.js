/* What keys and the palette act on: the selected row, else what lies open beside the list or on the page. */

const PLACES = [
  '.row[aria-current=true][data-kind]',
  '#peek:not([hidden]) [data-kind]',
  '#sheet [data-kind]',
  '#main [data-kind]:not(.row)',
]

/* Returns its kind, id, project and whether it is starred; null when nothing is at hand. */
export function thingHere() {
  const place = PLACES.map((each) => document.querySelector(each)).find(Boolean)
  if (!place) return null
  const { kind, item, project, starred } = place.dataset
  return { kind, id: item, project, starred: starred === '1', place }
}

export function idHere() {
  const row = document.querySelector('.row[aria-current=true]')
  return thingHere()?.id ?? row?.id.replace(/^\w+-/, '') ?? null
}
