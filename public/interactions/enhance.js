/* What a script adds to markup that works without one. */
import { ago } from './age.js'
import { showInbox } from './inbox.js'

const AGES_MS = 30_000

/* Shows what only a script can do, hides what a script replaces, and brings the ages up to date. */
export function enhance(root) {
  for (const one of root.querySelectorAll('[data-script]')) one.hidden = false
  for (const one of root.querySelectorAll('[data-no-script]')) one.hidden = true
  for (const time of root.querySelectorAll('time[data-ago]'))
    time.textContent = ago(time.dateTime, { short: time.dataset.ago === 'short' })
  if (/Mac|iPhone|iPad/.test(navigator.platform))
    for (const key of root.querySelectorAll('.nav-key')) key.textContent = '⌘K'
  showInbox()
}

export function startEnhancing() {
  enhance(document)
  const main = document.getElementById('main') ?? document
  setInterval(() => enhance(main), AGES_MS)
}
