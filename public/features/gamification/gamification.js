/* What is reached while the page is open is celebrated as it appears: a word in the corner, and a handful of paper. */
import { throwPaper } from './paper.js'

const shown = new Set()

const all = () => [...document.querySelectorAll('.celebration')]

/* What stood there when the page came is no news. */
for (const { id } of all()) shown.add(id)

function celebrateNew() {
  for (const one of all()) {
    if (shown.has(one.id)) continue
    shown.add(one.id)
    window.loam?.say(one.textContent.trim())
    throwPaper(one)
  }
}

new MutationObserver(celebrateNew).observe(document.getElementById('main'), {
  childList: true,
  subtree: true,
})
