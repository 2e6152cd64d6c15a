export const PHASES = { in_progress: 'in progress', ready: 'ready', done: 'done' } as const

/** The option of the commands that name one plan. */
export const WHICH_PLAN = {
  '--project <slug>': 'of this project, where several have a plan of the name',
} as const
