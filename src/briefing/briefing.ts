/**
 * Briefing: what agents are told without having asked. When a session starts, when a prompt is sent,
 * and when a subagent begins.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in briefing/.
 * Every text is fenced (kernel/fence.ts) and comes with the items whose content stands in it: whoever
 * hands it on records exactly that text and these ids. Notes never stand in one, but for the titles of
 * plans that wait for approval.
 */
export { matchPrompt } from './prompt.ts'
export { sessionBriefing, type Source, type Start } from './session.ts'
export type { Shown, Composed } from './brief.ts'
export { subagentBriefing } from './subagent.ts'
