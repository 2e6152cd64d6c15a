/* What is copied: ids, addresses, commands. Where there is no clipboard the text is selected instead. */
import { showField, showToast } from './toast.js'

const SHOWN_MS = 1400

export function startCopy() {
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-copy]')
    if (button) void copyOf(button)
  })
}

async function copyOf(button) {
  if (!(await written(button.dataset.copy))) return showField(button.dataset.copy)
  const label = button.querySelector('span')
  const before = label.textContent
  label.textContent = 'Copied'
  setTimeout(() => (label.textContent = before), SHOWN_MS)
}

export async function copy(text) {
  if (await written(text)) showToast(`Copied ${text}`)
  else showField(text)
}

/* Over plain http, beyond this machine, a page has no clipboard. */
async function written(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
