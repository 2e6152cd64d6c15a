import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

const PLAN = {
  /** Of the plan's file, without .md. */
  basename: Type.String(),
  plan_slug: Type.String(),
  claude_session_id: Type.Optional(Type.String()),
  external_client: Type.Optional(Type.String()),
}

const CONTENT = {
  title: Type.String(),
  iteration: Type.Integer({ minimum: 1 }),
  /** The whole text, secrets masked. */
  content: Type.Optional(Type.String()),
  /** Notes of planning runs that were waiting for this plan. */
  adopted_agents: Type.Optional(Type.Array(Type.String())),
}

/** A plan's file was saved. */
export const planCaptured = defineEvent(
  'plan.captured',
  Type.Object({ ...PLAN, ...CONTENT }),
  ({ title, iteration }) => `captured plan “${title ?? ''}”, iteration ${iteration ?? 1}`,
  { interaction: true },
)

/** A plan was put before its owner. */
export const planPresented = defineEvent(
  'plan.presented',
  Type.Object(PLAN),
  ({ plan_slug }) => `presented plan ${plan_slug ?? ''}`,
  { interaction: true },
)

/** A plan was agreed to: by its owner in the client, or on the console. */
export const planApproved = defineEvent(
  'plan.approved',
  Type.Object({
    ...PLAN,
    ...Type.Partial(Type.Object(CONTENT)).properties,
    by: Type.Optional(Type.String()),
  }),
  ({ plan_slug }) => `approved plan ${plan_slug ?? ''}`,
  { interaction: true },
)

/** The last step of a plan was closed, momentum being on. Once ever for a plan. */
export const planShipped = defineEvent(
  'plan.shipped',
  Type.Object({ plan: Type.String(), project: Type.String(), steps: Type.Integer() }),
  ({ plan, steps }) =>
    `shipped plan ${plan ?? ''} of ${steps ?? 0} ${steps === 1 ? 'step' : 'steps'}`,
)

/** What a planning subagent was asked and what it found. */
export const subagentCaptured = defineEvent(
  'subagent.captured',
  Type.Object({
    agent_id: Type.String(),
    agent_type: Type.String(),
    /** Empty: no plan was captured yet. */
    plan_slug: Type.String(),
    prompt: Type.String(),
    content: Type.String(),
    claude_session_id: Type.Optional(Type.String()),
    external_client: Type.Optional(Type.String()),
  }),
  ({ agent_type }) => `kept what subagent ${agent_type ?? ''} found`,
  { interaction: true },
)
