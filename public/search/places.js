/* Pages and actions that the palette leads to. Every page is a link of the navigation. */
import { claims } from './acts.js'
import { showHelp } from './help.js'

/* Returns groups of those whose title has a word that begins so. */
export function findPlaces(typed) {
  const begins = typed.toLowerCase()
  const matches = ({ title }) => {
    const words = title.toLowerCase()
    return words.startsWith(begins) || words.includes(` ${begins}`)
  }
  return [
    { label: 'Go to', options: pages() },
    { label: 'Here', options: here() },
    { label: 'Do', options: actions() },
  ]
    .map(({ label, options }) => ({ label, options: options.filter(matches) }))
    .filter(({ options }) => options.length > 0)
}

const pages = () =>
  [...document.querySelectorAll('.nav-entry')].map((link) => ({
    href: link.href,
    title: `Go to ${link.querySelector('span').textContent}`,
    meta: [`g ${link.dataset.go}`],
  }))

const key = (name) => window.loam.keys[name]

/* What the page itself offers: its open item or selected row, its table, its JSON. */
function here() {
  const thing = window.loam.thingHere()
  const json = document.querySelector('link[rel=alternate]')
  return [
    ...(thing
      ? [{ title: thing.starred ? 'Remove the star' : 'Star this', meta: ['.'], run: key('.') }]
      : []),
    ...(window.loam.idHere() ? [{ title: 'Copy its id', meta: ['c'], run: key('c') }] : []),
    { title: 'Copy the address of this page', meta: ['u'], run: key('u') },
    ...(window.loam.hasTable()
      ? [{ title: 'Save this table as CSV', run: () => window.loam.saveCsv() }]
      : []),
    ...(json ? [{ title: 'Open this page as JSON', href: json.href }] : []),
  ]
}

const actions = () => [
  { title: 'Release a claim…', into: releaseOne },
  { title: 'Switch the theme', run: () => window.loam.toggleTheme() },
  { title: 'Switch the density of rows', meta: ['d'], run: key('d') },
  { title: 'Switch between ages and clock times', meta: ['t'], run: key('t') },
  { title: 'Show the keys', meta: ['?'], run: showHelp },
  {
    title: 'Sign out',
    run: () => document.querySelector('form[action="/console/logout"] button').click(),
  },
]

async function releaseOne(signal) {
  const options = await claims(signal)
  return { title: 'Release a claim', options, nothing: 'Nobody holds a claim.' }
}
