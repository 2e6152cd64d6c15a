/* The palette and the keys. Everything that they reach is a link on some page. */
import { startHelp } from './help.js'
import { startKeys } from './keys.js'
import { startPalette } from './palette.js'

// The script is deferred: the page is parsed, and help.js has read the keys of its navigation.
document.addEventListener('DOMContentLoaded', () => {
  startPalette()
  startHelp()
  startKeys()
})
