/* A row that opens into a card below it. Without scripts its last cell does that. */

export function startCards() {
  document.addEventListener('click', (event) => {
    const row = event.target.closest?.('.row[data-card]')
    if (!row || event.target.closest('a, button, summary, form')) return
    if (String(getSelection()) === '') turnCard(row)
  })
  document.addEventListener('keydown', (event) => {
    const taken = event.target.closest?.('input, textarea, select, button, summary, dialog')
    if (event.key !== ' ' || taken || event.ctrlKey || event.metaKey || event.altKey) return
    const row =
      event.target.closest?.('.row[data-card]') ??
      document.querySelector('.row[data-card][aria-current]')
    if (!row) return
    event.preventDefault()
    turnCard(row)
  })
}

function turnCard(row) {
  const details = row.querySelector('.toggle details')
  details.open = !details.open
}
