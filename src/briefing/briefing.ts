/**
 * Briefing: the texts that agents receive without a request. When a session starts, when a prompt is
 * sent, and when a subagent begins.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in briefing/.
 * Every text is a context block (text/context-block.ts) and comes with the items whose content it
 * holds; the caller records exactly that text and these ids. No text holds a note, except for the
 * titles of plans that wait for approval.
 */
export {
  beginTelling,
  forgetLongTold,
  forgetTold,
  hearerOf,
  tellNew,
  toldBySession,
  untold,
  type Hearer,
  type Saved,
} from './ledger.ts'
export { inherited } from './material.ts'
export { BRIEFING, findOptions, type BriefingOptions } from './options.ts'
export { briefingChanged } from './events.ts'
export { changeBriefing, overridesOf, resetBriefing, type BriefingChange } from './overrides.ts'
export { matchPrompt, type Told } from './prompt.ts'
export { sessionBriefing, type Source, type Start } from './session.ts'
export type { Shown, Composed, Omission } from './brief.ts'
export { subagentBriefing } from './subagent.ts'
