/* How often the owner turned to another item or filter: an answer asked for earlier is out of date. */

let count = 0

export const turn = () => void count++
export const turnsSoFar = () => count
