/* Live refresh, the reader, and small helps. Every page works without this script. */
import { dropFlash } from './address.js'
import { goTo, guardLinks } from './away.js'
import { startCalendar } from './calendar.js'
import { startCards } from './card.js'
import { copy, startCopy } from './copy.js'
import { hasTable, saveCsv } from './csv.js'
import { release, star } from './act.js'
import { applyDisplay } from './display.js'
import { startEnhancing } from './enhance.js'
import { startFeed } from './feed.js'
import { startFilter } from './filter.js'
import { idHere, thingHere } from './here.js'
import { startForms } from './forms.js'
import { startInbox } from './inbox.js'
import { PAGE_KEYS } from './keys.js'
import { startLeases } from './lease.js'
import { startMenu } from './menu.js'
import { startMenus } from './menus.js'
import { startMore } from './more.js'
import { startPeek } from './peek.js'
import { startReader } from './reader.js'
import { sayRenewed } from './renew.js'
import { startHistory } from './replace-page.js'
import { startSections } from './sections.js'
import { startStream } from './stream.js'
import { applyStoredTheme, startTheme, toggleTheme } from './theme.js'
import { showToast, startToasts } from './toast.js'
import { startAsking } from './triage.js'

applyStoredTheme()
applyDisplay()

document.addEventListener('DOMContentLoaded', () => {
  startToasts()
  sayRenewed()
  guardLinks()
  dropFlash()
  startEnhancing()
  startReader()
  startPeek()
  startHistory()
  startFilter()
  startForms()
  startCopy()
  startInbox()
  startAsking()
  startCalendar()
  startCards()
  startFeed()
  startLeases()
  startMenu()
  startMenus()
  startMore()
  startSections()
  startTheme()
  startStream()
  // What the other scripts use: the keys and the palette, and those of optional features.
  const things = { thingHere, idHere, star, release, copy, hasTable, saveCsv }
  window.loam = { keys: PAGE_KEYS, toggleTheme, goTo, say: showToast, ...things }
})
