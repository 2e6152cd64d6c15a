/**
 * The text that a client reads once, at the handshake. It is ASCII, and its first paragraph is complete
 * within 512 characters, where some clients cut it.
 */
const WORKFLOW =
  'Memory shared by coding agents. Call recall before you guess or ask. Keep one lasting fact per ' +
  'memory_write and anything long in notes_create; leave out what the code, AGENTS.md, CLAUDE.md or ' +
  'this chat already say. If the scope is unclear pass project; project=global is only for what every ' +
  'project needs. Hand over through sessions and their findings. A plan is the notes and tasks that ' +
  'share plan:<slug>. Where prose and an inputSchema differ, its required fields and enums win.'

const DETAILS =
  'Read the briefing you were given before you search again. session_start and session_end frame work ' +
  'that somebody else will take up; name your own mistakes there as mishaps. Where your client keeps no ' +
  'connection, pass session to every call: its id or name, from session_start or your briefing. Before ' +
  'you work on a step of a shared plan claim it with tasks_claim. A long note is answered in part: pass ' +
  'what next says to go on, or a section. A constraint is true whatever anyone prefers, and breaking ' +
  'it breaks something; a convention is a choice that could have gone another way. A task is work that ' +
  'somebody can claim and finish; a memory with kind=stage is the state of the world, an outside condition that every ' +
  'session must know about while it holds. A stage opens with the lines Status: ' +
  'open|in_progress|blocked|done and Gate: human|ai. An edit corrects how something is said; ' +
  'when what it says is no longer true, write a new memory with supersedes.'

export const instructions = `${WORKFLOW}\n\n${DETAILS}`
