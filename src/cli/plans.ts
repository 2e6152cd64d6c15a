/** The owner's word on plans: which there are, what belongs to one, and that one is agreed to. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { wireTime } from '../kernel/clock.ts'
import { loadConfig } from '../config.ts'
import { invalid } from '../kernel/refusal.ts'
import { readStamp } from '../plans/plans.ts'
import { operate } from './operator.ts'

interface Options {
  config?: string
  project?: string
}

const PHASES = { in_progress: 'in progress', ready: 'ready', done: 'done' } as const

export async function listPlans({
  config: file,
  project,
  window,
}: Options & { window?: string }): Promise<void> {
  const { plans, total } = await operate(await loadConfig({ file }), 'plans', { project, window })
  for (const { plan, project, phase, status, steps, tokens, moved, shipped } of plans) {
    const parts = [
      `${project || 'global'}/${plan}`,
      PHASES[phase],
      `${steps.done}/${steps.total} steps`,
      ...(status ? [status] : []),
      ...(shipped ? ['shipped'] : []),
      `${tokens.total} tokens`,
      wireTime(new Date(moved)),
    ]
    console.log(parts.join('  '))
  }
  if (plans.length === 0) console.log('There is no such plan.')
  if (total > plans.length) console.error(`${total - plans.length} more; see --project, --window`)
}

export async function showPlan(plan: string, { config: file, project }: Options): Promise<void> {
  const shown = await operate(await loadConfig({ file }), 'plan', { plan, project })
  const { title, source, status, phase, basename, iteration, note, steps, tokens, list } = shown
  const lines = [
    `${shown.project || 'global'}/${plan}: ${title}`,
    `${source}${status ? `, ${status}` : ''}, ${PHASES[phase]}`,
    ...(basename === null ? [] : [`file ${basename}.md, iteration ${iteration}`]),
    ...(note ? [`note ${note.slug} (${note.id})`] : []),
    `tokens ${tokens.total} of ${tokens.sessions} sessions: ` +
      `${tokens.unreported} told none, ${tokens.shared} had a part in other plans too`,
    '',
    `${steps.done} of ${steps.total} steps done, ${steps.in_flight} in progress, ${steps.claimable} ready`,
  ]
  for (const { id, title, status, holder, lease, waits_for } of list) {
    const held = holder && status === 'in_progress' ? ` (${holder}, ${leaseOf(lease)})` : ''
    const waits = waits_for.length > 0 ? ` waits for ${waits_for.join(', ')}` : ''
    lines.push(`  ${status.padEnd(11)}  ${id}  ${title}${held}${waits}`)
  }
  if (shown.attached.length > 0) lines.push('', 'Notes:')
  for (const { id, slug, run } of shown.attached) {
    lines.push(`  ${id}  ${slug}${run ? '  (planning run)' : ''}`)
  }
  if (shown.body !== '') lines.push('', shown.body.trimEnd())
  for (const line of lines) console.log(line)
}

const leaseOf = (lease: number | null): string =>
  lease === null ? 'no lease' : lease > 0 ? `${Math.ceil(lease / 60)} min left` : 'lease run out'

export async function approvePlan(plan: string, { config: file, project }: Options): Promise<void> {
  const approved = await operate(await loadConfig({ file }), 'approvePlan', { plan, project })
  const where = `${approved.project || 'global'}/${plan}`
  console.log(approved.before === 'approved' ? `${where} was approved` : `${where} is approved`)
  if (approved.task !== null) console.log(`task ${approved.task} tracks it`)
}

type Freshness = 'FRESH' | 'STALE' | 'UNKNOWN'

/**
 * Holds each note of a plan against the repository: STALE when what it names was changed since the
 * commit it was written on. Fails when one is.
 */
export async function checkPlan(
  plan: string,
  { config: file, project, cwd = process.cwd() }: Options & { cwd?: string },
): Promise<void> {
  const head = await git(cwd, 'rev-parse', 'HEAD')
  if (head === undefined) throw invalid(`${cwd} is in no git repository with a commit`)
  const notes = await operate(await loadConfig({ file }), 'planTexts', { plan, project })
  for (const { slug, body } of notes) {
    const [freshness, why] = await compare(cwd, head, body)
    console.log(`${freshness.padEnd(7)}  ${slug}: ${why}`)
    if (freshness === 'STALE') process.exitCode = 1
  }
}

async function compare(cwd: string, head: string, body: string): Promise<[Freshness, string]> {
  const { git: stamped } = readStamp(body) ?? {}
  if (stamped === undefined) return ['UNKNOWN', 'it does not say on which commit it was written']
  const commit = await git(cwd, 'rev-parse', '--verify', '--quiet', `${stamped}^{commit}`)
  if (commit === undefined) return ['UNKNOWN', `commit ${stamped} is not in this repository`]
  if (commit === head) return ['FRESH', 'written on the commit that is checked out']
  const names = await git(cwd, 'diff', '--name-only', '--no-renames', '-z', commit, 'HEAD')
  const changed = (names ?? '').split('\0').filter(Boolean)
  const mentioned = pathsIn(body)
  const hit = changed.filter((path) => mentioned.some((each) => means(each, path)))
  if (hit.length === 0) return ['FRESH', `nothing it names has changed since ${stamped}`]
  const more = hit.length > 3 ? ` and ${hit.length - 3} more` : ''
  return ['STALE', `changed since ${stamped}: ${hit.slice(0, 3).join(', ')}${more}`]
}

/** What in a text looks like a path: with a slash, or a file's name with an ending. */
export function pathsIn(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_@~.+-]+(?:\/[\p{L}\p{N}_@~.+-]+)*\/?/gu) ?? []
  const paths = words
    .map((word) => word.replace(/^(?:\.\/)+/, '').replace(/[.]+$/, ''))
    .filter(
      (word) => /\w\/\w/.test(word) || /\w\/$/.test(word) || /^[^/]*\w\.[a-z]\w{0,9}$/i.test(word),
    )
  return [...new Set(paths)]
}

/** Whether the words mean the path: itself, its end, or a directory that it lies in. */
function means(words: string, path: string): boolean {
  const bare = words.replace(/\/$/, '')
  if (path === bare || path.endsWith(`/${bare}`)) return true
  return words.includes('/') && `/${path}`.includes(`/${bare}/`)
}

const run = promisify(execFile)

/** What git says in one call, or undefined when it says no. */
async function git(cwd: string, ...args: string[]): Promise<string | undefined> {
  try {
    const options = { timeout: 20_000, maxBuffer: 1 << 26 }
    const { stdout } = await run('git', ['-C', cwd, '-c', 'core.quotepath=off', ...args], options)
    return stdout.trimEnd()
  } catch {
    return undefined
  }
}
