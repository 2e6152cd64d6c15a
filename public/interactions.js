/* Live refresh, the reader, and small helps. Every page works without this file. */
{
  const stored = localStorage.getItem('loam-theme')
  // Before the first paint, or a dark page would flash white.
  if (stored === 'dark' || stored === 'light') document.documentElement.dataset.theme = stored
}

document.addEventListener('DOMContentLoaded', () => {
  const REFRESH_MS = 700
  const HOLD_MS = 1500
  const TRANSPORT = new Set(['tool.call', 'hook.prompt', 'recall.miss', 'hook.error'])
  const main = document.getElementById('main')

  /* What only a script can do is shown only where there is one. */
  const dress = (root) => {
    for (const one of root.querySelectorAll('[data-script]')) one.hidden = false
    for (const one of root.querySelectorAll('[data-no-script]')) one.hidden = true
    for (const time of root.querySelectorAll('time[data-ago]'))
      time.textContent = ago(time.dateTime)
    if (/Mac|iPhone|iPad/.test(navigator.platform))
      for (const key of root.querySelectorAll('.nav-key')) key.textContent = '⌘K'
  }

  function ago(iso) {
    const passed = Date.now() - Date.parse(iso)
    const [minute, hour, day] = [60e3, 3600e3, 86400e3]
    if (passed < 0) return 'now'
    if (passed < minute) return 'just now'
    if (passed < hour) return `${Math.floor(passed / minute)}m ago`
    if (passed < day) return `${Math.floor(passed / hour)}h ago`
    if (passed < 30 * day) return `${Math.floor(passed / day)}d ago`
    if (passed < 365 * day) return `${Math.floor(passed / (30 * day))}mo ago`
    return `${Math.floor(passed / (365 * day))}y ago`
  }

  /* Makes `old` look like `fresh`, keeping every node that can be kept: focus, scroll and open details stay. */
  function morph(old, fresh) {
    if (old.hasAttribute('data-live-skip')) return
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !(old.tagName === 'DETAILS' && name === 'open')) {
        old.removeAttribute(name)
      }
    }
    for (const { name, value } of [...fresh.attributes]) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value)
    }
    const byId = new Map()
    for (const child of old.children) if (child.id) byId.set(child.id, child)
    let at = old.firstChild
    for (const wanted of [...fresh.childNodes]) {
      const kept = wanted.id ? byId.get(wanted.id) : undefined
      if (kept) {
        if (kept !== at) old.insertBefore(kept, at)
        else at = at.nextSibling
        morph(kept, wanted)
      } else if (at && !at.id && !wanted.id && at.nodeName === wanted.nodeName) {
        if (at.nodeType === Node.ELEMENT_NODE) morph(at, wanted)
        else if (at.data !== wanted.data) at.data = wanted.data
        at = at.nextSibling
      } else {
        const added = document.importNode(wanted, true)
        if (wanted.classList?.contains('rail-item')) added.classList.add('rail-item--new')
        old.insertBefore(added, at)
      }
    }
    while (at) {
      const gone = at
      at = at.nextSibling
      gone.remove()
    }
  }

  /* The same address again, without what a flash left in it. */
  function currentAddress() {
    const url = new URL(location.href)
    url.searchParams.delete('notice')
    url.searchParams.delete('error')
    return url
  }

  async function fetchPage(url) {
    const answer = await fetch(url, {
      headers: { accept: 'text/html' },
      credentials: 'same-origin',
    })
    if (answer.status === 401 || new URL(answer.url).pathname === '/console/login') {
      location.href = `/console/login?next=${encodeURIComponent(location.pathname + location.search)}`
      return null
    }
    if (answer.status === 404) return listWithout(new URL(url))
    if (!answer.ok) return null
    return new DOMParser().parseFromString(await answer.text(), 'text/html')
  }

  /* What is open was deleted meanwhile: the list goes on without it. */
  function listWithout(url) {
    const [, list] = /^(\/console\/\w+)\/[^/]+$/.exec(url.pathname) ?? []
    if (!list || !document.querySelector('[data-rail]')) return null
    url.pathname = list
    history.replaceState(null, '', url)
    say('What was open here is gone.')
    return fetchPage(url)
  }

  function adopt(page) {
    const focused = document.activeElement
    for (const id of ['main', 'nav']) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)]
      if (old && fresh) morph(old, fresh)
    }
    // A node that is moved loses the focus on the way.
    if (focused?.isConnected && focused !== document.activeElement)
      focused.focus({ preventScroll: true })
    dress(document)
    settle()
  }

  /* The note that a library opened by itself stays open when another one becomes the newest. */
  function settle() {
    const open = document.querySelector('[data-rail] .rail-item[aria-current]')
    const library = document.querySelector('.library:not(.library--chosen)')
    if (!open || !library || !isWide()) return
    library.classList.add('library--chosen')
    showAddress(open.href, { push: false })
  }

  /* Beside the rail; on a narrow screen the reader is a page of its own. */
  const isWide = () => matchMedia('(min-width: 761px)').matches

  function showAddress(href, { push }) {
    if (push) history.pushState(null, '', href)
    else history.replaceState(null, '', href)
    const json = new URL(href)
    json.searchParams.set('format', 'json')
    for (const link of document.querySelectorAll('link[rel=alternate], .page-tools .json'))
      link.setAttribute('href', json.pathname + json.search)
  }

  /* --- live ------------------------------------------------------------- */

  let pending = 0
  /* How often somebody turned to another item or filter. */
  let turns = 0
  let due
  let refreshing = false
  const toasts = document.createElement('div')
  toasts.className = 'toasts'
  toasts.setAttribute('role', 'status')
  document.body.append(toasts)

  /* Not while somebody is in the middle of something: the page would move under the hand. */
  function mustHold() {
    const field = document.activeElement
    const typing =
      field && /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) && field.value !== field.defaultValue
    const selecting = String(getSelection()) !== ''
    return document.hidden || typing || selecting || document.querySelector('dialog[open]') !== null
  }

  function say(text, onClick) {
    if (toasts.textContent === text) return
    const toast = document.createElement(onClick ? 'button' : 'p')
    toast.className = 'toast'
    toast.textContent = text
    if (onClick) toast.addEventListener('click', onClick)
    else setTimeout(() => toast.remove(), 2600)
    toasts.replaceChildren(toast)
  }

  async function refresh() {
    if (refreshing) return plan(HOLD_MS)
    if (mustHold()) {
      if (!document.hidden)
        say(`${pending} ${pending === 1 ? 'update' : 'updates'}`, () => refreshNow())
      return plan(HOLD_MS)
    }
    await refreshNow()
  }

  async function refreshNow() {
    clearTimeout(due)
    refreshing = true
    const asked = turns
    try {
      const page = await fetchPage(currentAddress())
      // Somebody went on meanwhile: what came is of the page that was.
      if (turns !== asked) return plan(0)
      if (page) {
        adopt(page)
        pending = 0
        toasts.querySelector('button')?.remove()
      }
    } catch {
      plan(HOLD_MS)
    } finally {
      refreshing = false
    }
  }

  function plan(after) {
    clearTimeout(due)
    due = setTimeout(refresh, after)
  }

  function follow() {
    const light = document.getElementById('live')
    if (!light) return
    light.hidden = false
    const show = (state, word) => {
      light.dataset.state = state
      light.querySelector('[data-live-word]').textContent = word
    }
    show('waiting', 'connecting')
    let source
    let tries = 0
    const open = () => {
      source = new EventSource('/console/events')
      source.addEventListener('open', () => {
        show('live', 'live')
        // Frames may have been missed while it was away.
        if (tries > 0) plan(0)
        tries = 0
      })
      source.addEventListener('message', ({ data }) => {
        if (TRANSPORT.has(JSON.parse(data).kind)) return
        pending++
        plan(REFRESH_MS)
      })
      source.addEventListener('resync', () => plan(0))
      source.addEventListener('error', () => {
        tries++
        show(
          source.readyState === EventSource.CLOSED ? 'offline' : 'waiting',
          source.readyState === EventSource.CLOSED ? 'offline' : 'reconnecting',
        )
        if (source.readyState !== EventSource.CLOSED) return
        // The browser gives up on an answer that is no stream; the service may only be restarting.
        setTimeout(open, Math.min(30_000, 1000 * 2 ** tries) * (0.75 + Math.random() / 2))
      })
    }
    open()
    addEventListener('pagehide', () => source.close())
    addEventListener('pageshow', (event) => event.persisted && open())
  }

  /* --- the library ------------------------------------------------------- */

  let swap
  async function openItem(link, { push = true } = {}) {
    const reader = document.querySelector('[data-reader]')
    if (!reader) return
    swap?.abort()
    swap = new AbortController()
    const url = new URL(link.href)
    url.searchParams.set('reader', '1')
    try {
      const answer = await fetch(url, { signal: swap.signal, headers: { accept: 'text/html' } })
      if (answer.status === 401) return void (location.href = link.href)
      const text = await answer.text()
      turns++
      const sheet = document.getElementById('sheet')
      sheet.innerHTML = text
      reader.scrollIntoView?.({ block: 'nearest' })
      scrollTo({ top: 0 })
      mark(link)
      document.querySelector('.library')?.classList.add('library--chosen')
      document.title = `${link.querySelector('.rail-title')?.textContent.trim()} · Loam`
      showAddress(link.href, { push })
      dress(sheet)
    } catch (error) {
      if (error.name !== 'AbortError') location.href = link.href
    }
  }

  function mark(link) {
    for (const one of document.querySelectorAll('.rail-item[aria-current]'))
      one.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'true')
    link.scrollIntoView({ block: 'nearest' })
  }

  /* j and k walk the rail, or what was found; the focus goes along, so Enter and Tab go on from there. */
  function step(by) {
    const rows = [...document.querySelectorAll('[data-rail] .rail-item, #main .hit')]
    if (rows.length === 0) return
    const opens = isWide() && rows[0].matches('.rail-item')
    const at = rows.findIndex((row) =>
      opens ? row.hasAttribute('aria-current') : row === document.activeElement,
    )
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
    next.focus({ preventScroll: opens })
    if (opens && next !== rows[at]) void openItem(next)
  }

  document.addEventListener('click', (event) => {
    const plain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    const link = event.target.closest?.('[data-rail] .rail-item')
    if (link && plain && isWide()) {
      event.preventDefault()
      void openItem(link)
    }
    const copy = event.target.closest?.('[data-copy]')
    if (copy) void copyText(copy)
    if (event.target.closest?.('[data-theme-toggle]')) toggleTheme()
    const menu = event.target.closest?.('[data-menu]')
    if (menu) {
      event.preventDefault()
      const open = document.getElementById('side').classList.toggle('side--open')
      menu.setAttribute('aria-expanded', String(open))
    }
  })

  addEventListener('popstate', async () => {
    turns++
    const page = await fetchPage(currentAddress())
    if (page) {
      adopt(page)
      document.title = page.title
    }
  })

  async function copyText(button) {
    const label = button.querySelector('span')
    const before = label.textContent
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      label.textContent = 'Copied'
    } catch {
      label.textContent = 'Cannot copy here'
    }
    setTimeout(() => (label.textContent = before), 1400)
  }

  function toggleTheme() {
    const root = document.documentElement
    const dark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = dark ? 'light' : 'dark'
    localStorage.setItem('loam-theme', root.dataset.theme)
  }

  /* --- filters without leaving the page ----------------------------------- */

  let filtering
  document.addEventListener('input', ({ target }) => {
    const form = target.closest?.('form.filter')
    if (!form || !target.matches('[data-filter]') || form.classList.contains('filter--wide')) return
    clearTimeout(filtering)
    filtering = setTimeout(async () => {
      const url = new URL(form.action)
      for (const [name, value] of new FormData(form))
        if (value !== '') url.searchParams.set(name, value)
      const page = await fetchPage(url).catch(() => null)
      if (!page) return
      turns++
      const [typed, caret] = [target.value, target.selectionStart]
      history.replaceState(null, '', url)
      adopt(page)
      target.value = typed
      target.setSelectionRange(caret, caret)
    }, 220)
  })

  /* A flash is said once: a bookmark or a reload does not say it again. */
  if (/[?&](notice|error)=/.test(location.search) && location.pathname !== '/console/login') {
    history.replaceState(null, '', currentAddress())
  }

  window.loam = { step, toggleTheme }
  dress(document)
  settle()
  setInterval(() => dress(main ?? document), 30_000)
  if (main && document.getElementById('live')) follow()
})
