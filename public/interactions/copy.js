/* Buttons that copy an id or an address. */

const SHOWN_MS = 1400

export function startCopy() {
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-copy]')
    if (button) void copyText(button)
  })
}

async function copyText(button) {
  const label = button.querySelector('span')
  const before = label.textContent
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    label.textContent = 'Copied'
  } catch {
    label.textContent = 'Cannot copy here'
  }
  setTimeout(() => (label.textContent = before), SHOWN_MS)
}
