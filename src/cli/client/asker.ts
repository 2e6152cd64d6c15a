/** Options of commands that an agent or a person gives in a directory: it says which project is meant. */
export const ASKER = {
  '--session <name>': 'id or name of the session that asks',
} as const
