/** What gamification adds: today beside its week, the records, how busy it is, and what was reached today. */
import {
  findCelebrations,
  findContributions,
  findLately,
  findRecords,
  findTape,
  HOT_EVENTS,
  type StandingRecord,
  type TapeRow,
} from '../../gamification/gamification.ts'
import { once } from '../../kernel/once.ts'
import { declareFigures } from '../figures.ts'
import type { ScreenApp } from '../screen.ts'

const tapeFigure = declareFigures('tape', ['/console/now'], {
  tasks: {
    label: 'Tasks closed',
    unit: ['task', 'tasks'],
    definition:
      'Tasks that were done today, each once, beside the daily average of the seven days before.',
    leads: 'explanation',
    href: () => '/console/tasks?status=closed',
  },
  memories: {
    label: 'Memories written',
    unit: ['time', 'times'],
    definition:
      'How often a memory was written or changed today, beside the daily average of the seven days before.',
    leads: 'explanation',
    href: () => '/console/memories',
  },
  notes: {
    label: 'Notes written',
    unit: ['time', 'times'],
    definition:
      'How often a note was written or changed today, beside the daily average of the seven days before.',
    leads: 'explanation',
    href: () => '/console/notes',
  },
  plans: {
    label: 'Plans touched',
    unit: ['plan', 'plans'],
    definition:
      'Plans of which a step moved today, beside the daily average of the seven days before.',
    leads: 'explanation',
    href: () => '/console/plans',
  },
  sessions: {
    label: 'Sessions started',
    unit: ['session', 'sessions'],
    definition: 'Sessions that began today, beside the daily average of the seven days before.',
    leads: 'explanation',
    href: () => '/console/sessions',
  },
})

const TAPE_LABELS: Record<TapeRow['key'], string> = {
  tasks: 'tasks closed',
  memories: 'memories written',
  notes: 'notes written',
  plans: 'plans touched',
  sessions: 'sessions started',
}

const WEEK_DAYS = 7

/** A day of more than the average is up. One of less is down, and nobody's fault. */
function tapeOf({ key, n, week }: TapeRow) {
  const avg = Math.round((10 * week) / WEEK_DAYS) / 10
  const [today, days] = [n * WEEK_DAYS, week]
  const tone = today > days ? 'up' : today < days ? 'down' : 'none'
  return { key, label: TAPE_LABELS[key], n, avg, tone } as const
}

const recordOf = (today: string) =>
  function ({ key, label, n, day }: StandingRecord) {
    return { key, label, n, ...(day && { day }), ...(day === today && { today: true as const }) }
  }

/** Each value is read once, when something names it. All are of the whole house, whatever the scope of the page. */
export function arcadeOf({ kernel: { db }, owner }: ScreenApp) {
  const rows = once(() => findTape(db, owner))
  const tape = once(async () => (await rows()).map(tapeOf))
  const records = once(async () => {
    const [{ today } = { today: '' }] = await rows()
    return (await findRecords(db, owner)).map(recordOf(today))
  })
  const moments = once(() => findCelebrations(db, owner))
  const streak = once(async () => {
    const count = await findLately(db, owner)
    return { count, hot: count >= HOT_EVENTS }
  })
  return {
    data: {
      arcade: async () => {
        const [shown, standing, hot_streak, reached] = await Promise.all([
          tape(),
          records(),
          streak(),
          moments(),
        ])
        return {
          ...{ tape: shown, records: standing, hot_streak },
          ...(reached.length > 0 && { moments: reached }),
        }
      },
    },
    only: {
      tape: async () =>
        (await tape()).map(({ key, n, avg, tone }) =>
          tapeFigure(key, {
            value: n,
            of: `average ${avg.toLocaleString('en')}`,
            delta: tone === 'none' ? null : DELTAS[tone],
          }),
        ),
      records,
      moments,
      streak,
    },
  }
}

const DELTAS = {
  up: { text: '▲', good: true },
  down: { text: '▼', good: null },
} as const

/** What a session has done today, beside its card. */
export async function contributionsOf(
  { kernel: { db }, owner }: ScreenApp,
  sessions: readonly string[],
) {
  const done = await findContributions(db, owner, sessions)
  return (session: string) => done.get(session)
}
