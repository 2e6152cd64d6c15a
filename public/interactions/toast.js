/* Short messages in the corner of the page. */

const SHOWN_MS = 2600

const toasts = document.createElement('div')
toasts.className = 'toasts'
toasts.setAttribute('role', 'status')

/* The region is on the page before its first message: screen readers announce only changes. */
export const startToasts = () => document.body.append(toasts)

/* Shows a message. One that can be clicked stays until it is clicked or withdrawn. */
export function showToast(text, onClick) {
  // What is being copied by hand stays.
  if (toasts.textContent === text || toasts.contains(document.activeElement)) return
  const toast = document.createElement(onClick ? 'button' : 'p')
  toast.className = 'toast'
  toast.textContent = text
  if (onClick) toast.addEventListener('click', onClick)
  else setTimeout(() => toast.remove(), SHOWN_MS)
  toasts.replaceChildren(toast)
}

/* Shows a text to copy by hand, selected. */
export function showField(text) {
  const label = document.createElement('label')
  label.className = 'toast toast--field'
  const field = document.createElement('input')
  field.defaultValue = text
  field.readOnly = true
  label.append('Press Ctrl C', field)
  field.addEventListener('blur', () => label.remove())
  toasts.replaceChildren(label)
  field.select()
}

export const withdrawButton = () => toasts.querySelector('button')?.remove()
