/* Pages and actions that the palette leads to. Every page is a link of the navigation. */
import { showHelp } from './help.js'

/* Returns those whose title holds what was typed. */
export function findPlaces(typed) {
  const pages = [...document.querySelectorAll('.nav-entry')].map((link) => ({
    href: link.href,
    title: `Go to ${link.querySelector('span').textContent}`,
    meta: [`g ${link.dataset.go}`],
  }))
  const json = document.querySelector('link[rel=alternate]')
  const actions = [
    { title: 'Switch theme', run: () => window.loam?.toggleTheme() },
    { title: 'Show the keys', meta: ['?'], run: showHelp },
    ...(json ? [{ title: 'This page as JSON', href: json.href }] : []),
  ]
  const wanted = typed.toLowerCase()
  return [...pages, ...actions].filter(({ title }) => title.toLowerCase().includes(wanted))
}
