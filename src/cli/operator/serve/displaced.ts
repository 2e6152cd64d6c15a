import type { Leads } from '../../../kernel/held.ts'

/** The exit code of a service whose data directory was taken from under it. A supervisor can tell it from 1. */
export const DISPLACED_CODE = 3

/** What happened to the data directory, and what to do, for the log. */
export function displacedWords(dir: string, leads: Leads): string {
  if (leads === 'elsewhere')
    return (
      `another store was put in the place of the data directory ${dir} while the service ran: the service ` +
      'stops, and has written nothing into it. A start serves the store that stands there now. What was ' +
      'kept since that copy was made is in the directory that was there before, if it was kept. Stop the ' +
      'service before the next restore'
    )
  return (
    `the data directory ${dir}, or the database in it, was moved away or removed while the service ran: the ` +
    'service stops. Put it back before you start: a start without it makes a new and empty store there'
  )
}
