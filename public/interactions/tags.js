/* The tag of the answer that the page shows: the service need not send the same one again. */

import { cameAs, toldOf } from './told.js'

let shown

/* The page itself came without a script that could read its headers, but for this one. */
function first() {
  const tag = toldOf('etag')
  return { href: cameAs()?.name, etag: tag && `W/"${tag}"` }
}

export const tagOf = ({ href }) => {
  shown ??= first()
  return href === shown.href ? shown.etag : undefined
}

/* Called once an answer stands on the page. */
export const keepTag = (tag) => void (shown = tag)
