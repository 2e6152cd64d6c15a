/* How the owner likes to read: rows close or far apart, times as ages or by the clock. Kept in this browser. */

const CHOICES = {
  density: { stored: 'loam-density', other: 'comfortable' },
  times: { stored: 'loam-times', other: 'clock' },
}

/* Runs before the first paint. */
export function applyDisplay() {
  for (const [name, { stored, other }] of Object.entries(CHOICES))
    if (localStorage.getItem(stored) === other) document.documentElement.dataset[name] = other
}

export const showsClock = () => document.documentElement.dataset.times === CHOICES.times.other

export function toggleDisplay(name) {
  const { stored, other } = CHOICES[name]
  const { dataset } = document.documentElement
  if (dataset[name] === other) delete dataset[name]
  else dataset[name] = other
  localStorage.setItem(stored, dataset[name] ?? '')
}
