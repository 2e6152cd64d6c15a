import Type from 'typebox'
import { defineEvent, type EventLook } from '../kernel/event-kind.ts'

const MOMENT: EventLook = { severity: 'moment', feature: 'momentum' }

/** The last step of a plan was closed. One event per plan, ever. */
export const planShipped = defineEvent(
  'plan.shipped',
  Type.Object({ plan: Type.String(), project: Type.String(), steps: Type.Integer() }),
  ({ plan, steps }) =>
    `shipped plan ${plan ?? ''} of ${steps ?? 0} ${steps === 1 ? 'step' : 'steps'}`,
  MOMENT,
)

/** A memory was read for the first time by another session than the one that wrote it. */
export const memoryFirstReuse = defineEvent(
  'memory.first_reuse',
  Type.Object({
    name: Type.String(),
    kind: Type.String(),
    /** The session that wrote it, as the memory names it. */
    writer: Type.String(),
    /** The id of the session that read it. */
    reader: Type.String(),
  }),
  ({ kind, name }) => `first reuse of ${kind ?? 'memory'} ${name ?? ''}`,
  MOMENT,
)

/** A project reached a round number, did something for the first time, or is a year older. */
export const milestoneReached = defineEvent(
  'milestone.reached',
  Type.Object({
    /** The whole of it in one line. */
    claim: Type.String(),
    project: Type.String(),
    count: Type.Optional(Type.Integer()),
    threshold: Type.Optional(Type.Integer()),
    /** The name of the memory that was superseded. */
    memory: Type.Optional(Type.String()),
    plan: Type.Optional(Type.String()),
    steps: Type.Optional(Type.Integer()),
    years: Type.Optional(Type.Integer()),
    /** When the project was registered. */
    registered: Type.Optional(Type.String()),
  }),
  ({ claim }) => claim ?? 'a milestone',
  MOMENT,
)

/** A project grew into a stage that it had not reached before. The first one is no event. */
export const stageReached = defineEvent(
  'project.stage_reached',
  Type.Object({ stage: Type.String(), from: Type.String() }),
  ({ stage }) => `reached the stage ${stage ?? ''}`,
  MOMENT,
)
