import { pino } from 'pino'
import type { Database } from '../../src/postgres/database.ts'
import { nothingBehind } from '../../src/kernel/catch-up.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { noFailpoint } from '../../src/kernel/failpoint.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { KeptAnswers } from '../../src/kernel/kept-answers.ts'
import { Pace } from '../../src/kernel/pace.ts'
import { NOTHING_FOLDED } from '../../src/kernel/embedder.ts'
import { noChat } from './chat.ts'

/** A kernel for tests of the floor itself: a database, a clock and a silent log, and nothing else. */
export const bareKernel = ({ db }: Pick<Database, 'db'>): Kernel =>
  ({
    db,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    catchUp: nothingBehind,
    chat: noChat,
    embedder: { fold: () => NOTHING_FOLDED },
    kept: new KeptAnswers(() => null),
    reactions: [],
    pace: new Pace(),
    failpoint: noFailpoint,
  }) as unknown as Kernel
