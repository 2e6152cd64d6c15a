/* Short messages in the corner of the page. */

const SHOWN_MS = 2600

const toasts = document.createElement('div')
toasts.className = 'toasts'
toasts.setAttribute('role', 'status')

/* The region is on the page before its first message: screen readers announce only changes. */
export const startToasts = () => document.body.append(toasts)

/* Shows a message. One that can be clicked stays until it is clicked or withdrawn. */
export function showToast(text, onClick) {
  if (toasts.textContent === text) return
  const toast = document.createElement(onClick ? 'button' : 'p')
  toast.className = 'toast'
  toast.textContent = text
  if (onClick) toast.addEventListener('click', onClick)
  else setTimeout(() => toast.remove(), SHOWN_MS)
  toasts.replaceChildren(toast)
}

export const withdrawButton = () => toasts.querySelector('button')?.remove()
