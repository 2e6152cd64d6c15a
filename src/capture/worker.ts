/** The thread that reads a page. read.ts ends it past a limit of memory or time. */
import { parentPort, workerData } from 'node:worker_threads'
import { decode } from './decode.ts'
import type { Job, Reading } from './read.ts'
import { scan } from './scan.ts'

const { bytes, kind, charset, url } = workerData as Job
/** UTF-16 units that hold all code points of a note. */
const MAX_UNITS = 110_000

const send = (reading: Reading): void => {
  parentPort!.postMessage({
    ...reading,
    title: reading.title.slice(0, 1_000),
    text: reading.text.slice(0, MAX_UNITS),
  } satisfies Reading)
}

const page = decode(bytes, charset, kind)
if (page === null) send({ title: '', text: '', cut: false, done: true })
else if (kind === 'text') send({ title: '', text: page, cut: page.length > MAX_UNITS, done: true })
else {
  const { title, base, text, cut, end, tooDeep } = scan(page)
  // The plain text goes first: it is the result if the parsing takes too much.
  const plain = { title, text, cut: cut || text.length > MAX_UNITS }
  send({ ...plain, done: tooDeep })
  if (!tooDeep) {
    // The libraries load slowly, and only pages need them.
    const { readable } = await import('./readable.ts')
    const origin = URL.parse(base, url)
    const from = origin && /^https?:$/.test(origin.protocol) ? origin.href : url
    const markdown = readable(page.slice(0, end), { title, base: base === '' ? url : from })
    const more = end < page.length || (markdown?.length ?? 0) > MAX_UNITS
    send(
      markdown === null
        ? { ...plain, done: true }
        : { title, text: markdown, cut: more, done: true },
    )
  }
}
