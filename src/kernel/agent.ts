/** The library behind `openLine`, as a module that is read when it is needed first. */
export { Agent } from 'undici'
