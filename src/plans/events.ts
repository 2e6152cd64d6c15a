import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

const PLAN = {
  /** The name of the plan's file, without .md. */
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
  /** The notes of planning runs that waited for this plan. */
  adopted_agents: Type.Optional(Type.Array(Type.String())),
}

/** A plan's file was saved. */
export const planCaptured = defineEvent(
  'plan.captured',
  Type.Object({ ...PLAN, ...CONTENT }),
  ({ title, iteration }) => `captured plan “${title ?? ''}”, iteration ${iteration ?? 1}`,
  { interaction: true },
)

/** A client presented a plan to its owner. */
export const planPresented = defineEvent(
  'plan.presented',
  Type.Object(PLAN),
  ({ plan_slug }) => `presented plan ${plan_slug ?? ''}`,
  { interaction: true },
)

/** The owner approved a plan, in the client or on the console. */
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

/** The prompt and the findings of a planning subagent. */
export const subagentCaptured = defineEvent(
  'subagent.captured',
  Type.Object({
    agent_id: Type.String(),
    agent_type: Type.String(),
    /** Empty while no plan was captured. */
    plan_slug: Type.String(),
    prompt: Type.String(),
    content: Type.String(),
    claude_session_id: Type.Optional(Type.String()),
    external_client: Type.Optional(Type.String()),
  }),
  ({ agent_type }) => `kept what subagent ${agent_type ?? ''} found`,
  { interaction: true },
)
