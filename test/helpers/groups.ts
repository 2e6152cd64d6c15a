/** One call of each group of tools, in its own order: what one makes, a later one names. A capture asks the world outside, and has none. */
export const ONE_OF_EACH: Readonly<Record<string, Record<string, string | boolean>>> = {
  session_start: { name: 'harbor', project: 'atlas' },
  project_list: {},
  memory_write: {
    ...{ name: 'port-of-billing', kind: 'reference', project: 'atlas' },
    ...{ description: 'Billing listens on 8081', body: 'Set in compose.yml.' },
  },
  recall: { query: 'billing', project: 'atlas' },
  notes_create: { title: 'How billing starts', body: 'By make serve.', project: 'atlas' },
  tasks_add: { title: 'Move the port', project: 'atlas' },
  favorite_set: { kind: 'memory', id: 'port-of-billing', favorite: true, project: 'atlas' },
  trial_record: { title: 'A port of its own', lab: 'ports', project: 'atlas' },
  lab_open: { lab: 'ports' },
  gardener_request: { request: 'archive port-of-billing', project: 'atlas' },
  usage_summary: {},
}
