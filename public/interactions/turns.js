/* How often the owner turned to another item or filter: an answer asked for earlier is out of date. */

let count = 0

export const turn = () => void count++
export const turnsSoFar = () => count

let asked = 0

/* What the owner asks for, by a row, a filter or the history: only the answer to the last is shown. */
export const ask = () => ++asked
export const isLast = (one) => one === asked
