/** What the owner aims at, in percent: pages that show the same figure judge it alike. */
export const AIMS = {
  /** Active memories that were put before an agent. */
  reach: { atLeast: 55 },
  /** Sessions that left something. */
  continuity: { atLeast: 80 },
  /** Memories told at a start that agents asked for. */
  demand: { atLeast: 50 },
  /** Tokens of memories that nobody asks for. */
  waste: { atMost: 35 },
  /** Prompts that matched nothing. */
  missed: { atMost: 40 },
} as const
