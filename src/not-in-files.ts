/** What only the database holds, for people: to be named before it is given up. */
export const NOT_IN_FILES = 'tasks, sessions, findings, trials and events'
