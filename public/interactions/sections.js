/* Marks the section that is read, in the index of a long page. */

/* A section counts as read from this part of the window on. */
const LINE = 0.35

let planned = false
/* The section that was gone to. One near the end cannot come up to the line: it is read all the same. */
let chosen = location.hash

function mark() {
  planned = false
  const links = [...document.querySelectorAll('.settings-index a')]
  const begun = links.filter(({ hash }) => {
    const section = document.getElementById(hash.slice(1))
    return section && section.getBoundingClientRect().top <= LINE * innerHeight
  })
  const isEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const reached = isEnd ? links.at(-1) : (begun.at(-1) ?? links[0])
  const current = links.find(({ hash }) => hash !== '' && hash === chosen) ?? reached
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

function choose({ target }) {
  chosen = target.closest?.('.settings-index a')?.hash ?? ''
  if (chosen) plan()
}

/* Whoever scrolls by hand reads where that leads. */
function leave() {
  chosen = ''
}

export function startSections() {
  if (!document.querySelector('.settings-index')) return
  document.addEventListener('click', choose)
  for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    addEventListener(act, leave, { passive: true })
  addEventListener('scroll', plan, { passive: true })
  addEventListener('loam:refreshed', mark)
  mark()
}
