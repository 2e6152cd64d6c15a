export const BASE = '/console/labs'

/**
 * The page of a lab. What it is called is free: a name that browsers take for a step upwards has no address of its
 * own, and leads to its trials.
 */
export const hrefOf = (lab: string): string =>
  isStep(lab) ? `/console/trials?lab=${lab}` : `${BASE}/${encodeURIComponent(lab)}`

/** Null where it has no page. */
export const peekOf = (lab: string): string | null => (isStep(lab) ? null : `${hrefOf(lab)}?peek=1`)

const isStep = (lab: string): boolean => /^\.{1,2}$/.test(lab)
