/* The palette and the keys. Everything they reach is a link on some page. */
document.addEventListener('DOMContentLoaded', () => {
  const DEBOUNCE_MS = 200
  const PER_GROUP = 5
  const make = (tag, props = {}, ...children) => {
    const one = Object.assign(document.createElement(tag), props)
    one.append(...children)
    return one
  }

  /* --- the palette -------------------------------------------------------- */

  const input = make('input', {
    className: 'palette-input',
    type: 'text',
    placeholder: 'Search, or go to a page…',
    autocomplete: 'off',
    spellcheck: false,
  })
  const list = make('div', { className: 'palette-list', id: 'palette-list' })
  const all = make('a', { href: '/console/search', textContent: 'All results' })
  const hint = make('span')
  const palette = make(
    'dialog',
    { className: 'over' },
    input,
    list,
    make('p', { className: 'palette-foot' }, hint, all),
  )
  palette.setAttribute('aria-label', 'Search')
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-label', 'Search everything')
  input.setAttribute('aria-controls', 'palette-list')
  input.setAttribute('aria-expanded', 'true')
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Results')
  hint.innerHTML = '<kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close'
  document.body.append(palette)

  let opener = null
  let asked = null
  let waiting
  let chosen = -1

  const rows = () => [...list.querySelectorAll('[role=option]')]

  function openPalette() {
    if (palette.open) return palette.close()
    opener = document.activeElement
    input.value = ''
    palette.showModal()
    showPlaces('')
    input.focus()
  }

  palette.addEventListener('close', () => {
    asked?.abort()
    opener?.focus?.()
  })
  palette.addEventListener('click', (event) => {
    if (event.target === palette) palette.close()
  })

  function choose(index) {
    const options = rows()
    chosen = options.length === 0 ? -1 : (index + options.length) % options.length
    options.forEach((row, at) => row.setAttribute('aria-selected', String(at === chosen)))
    options[chosen]?.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', options[chosen]?.id ?? '')
  }

  const heading = (text) => make('p', { className: 'palette-group', textContent: text })
  const state = (text) =>
    list.replaceChildren(make('p', { className: 'palette-state', textContent: text }))
  let count = 0
  function option({ href, title, meta, text, run }) {
    const row = make('a', {
      className: 'hit',
      href: href ?? '#',
      id: `option-${++count}`,
      tabIndex: -1,
    })
    row.append(make('span', { className: 'hit-title', textContent: title }))
    const parts = (meta ?? []).map((part) => make('span', { textContent: part }))
    row.append(make('span', { className: 'hit-meta' }, ...parts))
    if (text) row.append(make('span', { className: 'hit-text', textContent: text }))
    row.setAttribute('role', 'option')
    row.setAttribute('aria-selected', 'false')
    if (run) {
      row.addEventListener('click', (event) => {
        event.preventDefault()
        palette.close()
        run()
      })
    }
    return row
  }

  /* Pages and actions, those that hold what was typed. */
  function places(typed) {
    const pages = [...document.querySelectorAll('.nav-entry')].map((link) => ({
      href: link.href,
      title: `Go to ${link.querySelector('span').textContent}`,
      meta: [`g ${link.dataset.go}`],
    }))
    const json = document.querySelector('link[rel=alternate]')
    const actions = [
      { title: 'Switch theme', run: () => window.loam?.toggleTheme() },
      { title: 'Show the keys', meta: ['?'], run: () => help.showModal() },
      ...(json ? [{ title: 'This page as JSON', href: json.href }] : []),
    ]
    const wanted = typed.toLowerCase()
    return [...pages, ...actions].filter(({ title }) => title.toLowerCase().includes(wanted))
  }

  function showPlaces(typed) {
    const found = places(typed)
    list.replaceChildren(heading('Pages and actions'), ...found.map(option))
    all.href = '/console/search'
    choose(0)
  }

  async function search(typed) {
    asked = new AbortController()
    try {
      const address = `/console/search?format=json&fast=1&q=${encodeURIComponent(typed)}`
      const answer = await fetch(address, { signal: asked.signal })
      if (!answer.ok) return state('The search is not available right now.')
      const { groups } = await answer.json()
      const found = groups.flatMap(({ label, rows }) => [
        heading(label),
        ...rows
          .slice(0, PER_GROUP)
          .map(({ href, title, identifier, kind, project, age, description }) => {
            const where = kind === 'project' ? identifier : (project ?? 'global')
            return option({ href, title, text: description, meta: [where, age].filter(Boolean) })
          }),
      ])
      const here = places(typed)
      if (here.length > 0) found.push(heading('Pages and actions'), ...here.map(option))
      if (found.length === 0) state('Nothing found.')
      else list.replaceChildren(...found)
      choose(0)
    } catch (error) {
      if (error.name !== 'AbortError') state('The search is not available right now.')
    }
  }

  input.addEventListener('input', () => {
    clearTimeout(waiting)
    const typed = input.value.trim()
    asked?.abort()
    if (typed.length < 2) return showPlaces(typed)
    // Until there are answers Enter leads to the page of results, never to what stood here before.
    all.href = `/console/search?q=${encodeURIComponent(typed)}`
    state('Searching…')
    choose(-1)
    waiting = setTimeout(search, DEBOUNCE_MS, typed)
  })

  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') {
      const row = rows()[chosen]
      if (!row) location.href = all.href
      else if (event.metaKey || event.ctrlKey) open(row.href, '_blank', 'noopener')
      else row.click()
    } else return
    event.preventDefault()
  })

  /* --- help ---------------------------------------------------------------- */

  const KEYS = [
    ['Ctrl K', 'search, or go anywhere'],
    ['/', 'filter this page, or search'],
    ['j  k', 'next and previous row'],
    ['Enter', 'open the row'],
    ...[...document.querySelectorAll('[data-go]')].map((link) => [
      `g  ${link.dataset.go}`,
      `go to ${link.querySelector('span').textContent}`,
    ]),
    ['c', 'copy the id of what is open'],
    ['?', 'these keys'],
    ['Esc', 'close, leave a field'],
  ]
  const pairs = KEYS.flatMap(([keys, meaning]) => {
    const term = make('dt')
    for (const key of keys.split('  ')) term.append(make('kbd', { textContent: key }), ' ')
    return [term, make('dd', { textContent: meaning })]
  })
  const help = make(
    'dialog',
    { className: 'over' },
    make(
      'div',
      { className: 'keys' },
      make('h2', { textContent: 'Keys' }),
      make('dl', {}, ...pairs),
    ),
  )
  help.setAttribute('aria-label', 'Keys')
  help.addEventListener('click', (event) => event.target === help && help.close())
  document.body.append(help)
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('[data-help]')) help.showModal()
  })

  /* --- keys ----------------------------------------------------------------- */

  let going = 0
  document.addEventListener('keydown', (event) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      return openPalette()
    }
    const field = event.target.closest?.('input, textarea, select, [contenteditable]')
    if (field) {
      if (event.key === 'Escape' && !palette.open) field.blur()
      return
    }
    if (event.metaKey || event.ctrlKey || event.altKey || palette.open || help.open) return

    if (Date.now() - going < 1200) {
      going = 0
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)
      if (link) {
        event.preventDefault()
        location.href = link.href
      }
      return
    }
    const keys = {
      g: () => (going = Date.now()),
      j: () => window.loam?.step(1),
      k: () => window.loam?.step(-1),
      c: () => document.querySelector('[data-copy-id], .event [data-copy]')?.click(),
      '?': () => help.showModal(),
      '/': () => {
        const filter = document.querySelector('[data-filter]')
        if (filter) filter.select()
        else openPalette()
      },
    }
    if (!Object.hasOwn(keys, event.key)) return
    event.preventDefault()
    keys[event.key]()
  })
})
