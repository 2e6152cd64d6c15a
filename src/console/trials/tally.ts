/** As what outcomes count. They are free words; these four are usual, and all others count together. */
export const OUTCOMES = ['pass', 'fail', 'partial', 'inconclusive'] as const
export const TALLIES = [...OUTCOMES, 'other'] as const
export type Tally = (typeof TALLIES)[number]

export const tallyOf = (outcome: string): Tally =>
  OUTCOMES.find((each) => each === outcome) ?? 'other'
