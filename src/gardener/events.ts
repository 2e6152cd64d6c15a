import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** Something was proposed, or a proposal was decided. Its item is the proposal. */
export const gardenerAction = defineEvent(
  'gardener.action',
  Type.Object({
    /** propose, apply, dismiss, hide, unhide, retarget, undo_apply, undo_reject, request, split, utility_armed. */
    action: Type.String(),
    /** Of the proposal. */
    kind: Type.Optional(Type.String()),
    /** What it was before an undo. */
    was: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    /** What was asked for, in the caller's words, cut. */
    text: Type.Optional(Type.String()),
    /** Of a split. */
    source: Type.Optional(Type.String()),
    plan: Type.Optional(Type.String()),
    /** How many proposals a request made. */
    created: Type.Optional(Type.Integer()),
    /** Of a scope that was armed: what was asked lately, and for how many items. */
    demand_events: Type.Optional(Type.Integer()),
    demand_memories: Type.Optional(Type.Integer()),
  }),
  ({ action = '', kind = '' }) =>
    action === 'utility_armed'
      ? 'briefings are ordered by demand from now on'
      : `gardener ${action.replaceAll('_', ' ')} ${kind}`.trim(),
)
