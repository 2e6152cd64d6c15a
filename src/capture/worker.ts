/** The thread that reads a page: it has a limit of memory and of time, and is ended past either. */
import { parentPort, workerData } from 'node:worker_threads'
import { decode } from './decode.ts'
import type { Job, Reading } from './read.ts'
import { scan } from './scan.ts'

const { bytes, kind, charset, url } = workerData as Job
/** UTF-16 units that surely hold all the code points that are kept. */
const MOST_UNITS = 110_000

const tell = (reading: Reading): void => {
  parentPort!.postMessage({
    ...reading,
    title: reading.title.slice(0, 1_000),
    text: reading.text.slice(0, MOST_UNITS),
  } satisfies Reading)
}

const page = decode(bytes, charset, kind)
if (page === null) tell({ title: '', text: '', cut: false, done: true })
else if (kind === 'text') tell({ title: '', text: page, cut: page.length > MOST_UNITS, done: true })
else {
  const { title, base, text, cut, end, tooDeep } = scan(page)
  // Told first: if reading takes too much, this is what there is.
  const plain = { title, text, cut: cut || text.length > MOST_UNITS }
  tell({ ...plain, done: tooDeep })
  if (!tooDeep) {
    // The libraries take a while to load, and only pages need them.
    const { readable } = await import('./readable.ts')
    const origin = URL.parse(base, url)
    const from = origin && /^https?:$/.test(origin.protocol) ? origin.href : url
    const markdown = readable(page.slice(0, end), { title, base: base === '' ? url : from })
    const more = end < page.length || (markdown?.length ?? 0) > MOST_UNITS
    tell(
      markdown === null
        ? { ...plain, done: true }
        : { title, text: markdown, cut: more, done: true },
    )
  }
}
