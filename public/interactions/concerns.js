/* Which parts of the page an event concerns, as the page says itself. */

let text
let told = { page: [], nav: [], parts: {} }

function concerns() {
  const fresh = document.getElementById('main')?.dataset.live
  if (fresh !== undefined && fresh !== text) [text, told] = [fresh, JSON.parse(fresh)]
  return [['page', told.page], ['nav', told.nav], ...Object.entries(told.parts)]
}

const fits = (wanted, value = '') => wanted === undefined || wanted.includes(value)

const concerned = ({ kinds, session, project, item }, event) =>
  kinds !== undefined &&
  (kinds.includes('*') || kinds.includes(event.kind)) &&
  fits(session, event.sessionId) &&
  fits(project, event.project) &&
  fits(item, event.itemId)

/* Returns names of parts, 'page' and 'nav' among them, and how many of the events concern any. */
export function concernedBy(events) {
  const names = namesWhere((concern) => events.some((event) => concerned(concern, event)))
  const all = concerns().flatMap(([, each]) => each)
  const changes = events.filter((event) => all.some((concern) => concerned(concern, event)))
  return { names, changes: changes.length }
}

/* Returns the parts that change by time alone and are due, given when each was read last. */
export const dueAt = (now, readAt) =>
  concerns()
    .filter(([name, all]) => all.some(({ every }) => now - readAt(name) >= every * 1000))
    .map(([name]) => name)

const namesWhere = (test) =>
  concerns()
    .filter(([, all]) => all.some(test))
    .map(([name]) => name)
