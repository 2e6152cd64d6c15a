/* Marks the section that is read, in the index of a long page. */

/* A section counts as read from this part of the window on. */
const LINE = 0.35

let planned = false

function mark() {
  planned = false
  const links = [...document.querySelectorAll('.settings-index a')]
  const begun = links.filter(({ hash }) => {
    const section = document.getElementById(hash.slice(1))
    return section && section.getBoundingClientRect().top <= LINE * innerHeight
  })
  const isEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const current = isEnd ? links.at(-1) : (begun.at(-1) ?? links[0])
  for (const link of links) {
    if (link === current) link.setAttribute('aria-current', 'location')
    else link.removeAttribute('aria-current')
  }
}

function plan() {
  if (planned) return
  planned = true
  requestAnimationFrame(mark)
}

export function startSections() {
  if (!document.querySelector('.settings-index')) return
  addEventListener('scroll', plan, { passive: true })
  addEventListener('loam:refreshed', mark)
  mark()
}
