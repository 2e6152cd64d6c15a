/** The processor time of a service, by thread, as the kernel counts it. */
import { readdir, readFile } from 'node:fs/promises'

/** Milliseconds of processor time since the start of each. */
export interface Spent {
  main: number
  /** The thread of the embedded database, or the server's own processes. */
  engine: number
  /** The pool of the file system, the collector, the compiler. */
  rest: number
}

/** Worker threads of ours; V8 calls its own by another name. */
const OURS = /^(?:loam|\[?worker)/i
const NANOSECONDS = 1e6

/** @param backends the processes of a database server that serve it, when it runs on this machine */
export async function spentBy(pid: number, backends: readonly number[]): Promise<Spent> {
  const spent: Spent = { main: 0, engine: 0, rest: 0 }
  const tasks = `/proc/${pid}/task`
  for (const task of await readdir(tasks)) {
    const at = `${tasks}/${task}`
    const name = await readFile(`${at}/comm`, 'utf8').catch(() => undefined)
    if (name === undefined) continue
    const part = task === String(pid) ? 'main' : OURS.test(name) ? 'engine' : 'rest'
    spent[part] += await ranFor(at)
  }
  for (const backend of backends) spent.engine += await ranFor(`/proc/${backend}`)
  return spent
}

/** A thread that has ended meanwhile counts no more. */
async function ranFor(at: string): Promise<number> {
  const [ran = '0'] = (await readFile(`${at}/schedstat`, 'utf8').catch(() => '0')).split(' ', 1)
  return Number(ran) / NANOSECONDS
}

export const since = (before: Spent, now: Spent): Spent => ({
  main: now.main - before.main,
  engine: now.engine - before.engine,
  rest: now.rest - before.rest,
})
