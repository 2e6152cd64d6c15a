/** The named moments of a write at which the fault runs stop the process or make a step fail. */
export const FAILPOINTS = [
  'before-temp',
  'after-temp',
  'after-fsync',
  'before-rename',
  'after-rename',
  'after-dir-fsync',
  'before-commit',
  'after-commit',
  'before-answer',
] as const
/** Beside them: before the files are read that the rows may be behind. */
export type FailpointName = (typeof FAILPOINTS)[number] | 'before-catch-up'

/** Awaited at each named moment. In service it does nothing. */
export type Failpoint = (name: FailpointName) => void | Promise<void>

export const noFailpoint: Failpoint = () => {}

/**
 * Reads `name=action[:nth]`, where action is `kill` (SIGKILL to this process), `throw` or
 * `sleep-<ms>`, taken at the nth passing (the first when left out).
 */
export function failpointFrom(text: string): Failpoint {
  if (text === '') return noFailpoint
  const [, name, action, nth = '1'] = /^([a-z-]+)=([a-z]+(?:-\d+)?)(?::(\d+))?$/.exec(text) ?? []
  const isKnown = [...FAILPOINTS, 'before-catch-up'].includes(name as FailpointName)
  if (!isKnown) throw new Error(`no failpoint in "${text}"`)
  let passed = 0
  return async (reached) => {
    if (reached !== name || ++passed !== Number(nth)) return
    if (action === 'kill') process.kill(process.pid, 'SIGKILL')
    else if (action === 'throw') throw new Error(`failpoint ${name}`)
    await new Promise((resolve) => setTimeout(resolve, Number(action?.split('-')[1] ?? 60_000)))
  }
}
