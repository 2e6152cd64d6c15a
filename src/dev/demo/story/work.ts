/** How people and agents speak of what there is to do. */
export interface Subject {
  /** As it stands in a sentence: "the retry of refunds". */
  thing: string
  /** What is wrong with it, a whole sentence. */
  fault: string
  /** Why. */
  cause: string
  /** What was done. */
  done: string
  /** What is left. */
  left: string
  /** The file or folder that it is about. */
  place: string
}

/** One way of working on a subject. */
export interface Job {
  prompt(subject: Subject): string
  /** What its agent asks first. */
  ask(subject: Subject): string
  findings(subject: Subject): string
}

const bare = (thing: string): string => thing.replace(/^the /, '')

export const JOBS: readonly Job[] = [
  {
    prompt: ({ fault }) =>
      `${fault} Find out why and fix it, with a test that fails without the fix.`,
    ask: ({ fault }) => fault.replace(/\.$/, ''),
    findings: ({ thing, cause, done, left, place }) =>
      `Fixed ${thing}. ${cause}\n\n- ${done}\n- \`${place}\` has a test that fails without it\n- open: ${left}`,
  },
  {
    prompt: ({ thing, place }) =>
      `Write the missing tests for ${thing} (${place}). No mocks of our own code.`,
    ask: ({ thing }) => `how is ${thing} tested`,
    findings: ({ thing, cause, left }) =>
      `${sentence(thing)} is covered now, edges included. While at it: ${lower(cause)} Next: ${left}.`,
  },
  {
    prompt: ({ thing, place }) =>
      `Review the branch that changes ${thing}. Look at ${place} first and tell me what could break in production.`,
    ask: ({ thing }) => `decisions about ${thing}`,
    findings: ({ thing, done, left }) =>
      `Reviewed the change of ${thing}; it can go out.\n\n- good: ${lower(done)}\n- asked for: ${left}`,
  },
  {
    prompt: ({ thing }) =>
      `How long does ${thing} take under load, and where does the time go? Numbers, please.`,
    ask: ({ thing }) => `${bare(thing)} latency measured`,
    findings: ({ thing, cause, place }) =>
      `Measured ${thing} with a day of production traffic. Two thirds of the time are in \`${place}\`. ${cause}`,
  },
  {
    prompt: ({ thing, left }) => `Take up ${thing} where the last session left it: ${left}.`,
    ask: ({ left }) => left,
    findings: ({ thing, left, done }) =>
      `Done with ${thing}: ${left}. ${done} Nothing is left open here.`,
  },
]

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
