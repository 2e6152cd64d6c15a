/* What the owner has changed in the fields of a page, and not sent. */

export const holdsTyped = (element) =>
  [...element.querySelectorAll('input, textarea')].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked,
  ) || [...element.querySelectorAll('option')].some((one) => one.selected !== one.defaultSelected)

/* Whether a form that changes something holds any. What narrows a list is typed again at once. */
export const isFormTyped = () =>
  [...document.querySelectorAll('form[method=post]')].some(holdsTyped)
