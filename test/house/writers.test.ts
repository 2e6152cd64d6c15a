import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Who writes each table. Reading is free; a second writer is a second truth. */
const WRITERS: Record<string, string[]> = {
  clock: ['src/postgres'],
  demand_starts: ['src/demand'],
  // A change of a passage queues its item, and carries its vector along or drops it.
  embedding_queue: ['src/embeddings', 'src/passages'],
  // A claim that nothing follows from is recorded by the statement that makes it. The feed clears the
  // transactions of another cluster.
  events: ['src/kernel', 'src/postgres', 'src/tasks'],
  event_items: ['src/kernel'],
  families: ['src/projects'],
  files: ['src/vault'],
  // What a writer could not read waits there.
  fold_queue: ['src/embeddings', 'src/passages'],
  followers: ['src/postgres'],
  gardener_marks: ['src/gardener'],
  gardener_runs: ['src/gardener'],
  hook_answers: ['src/hooks'],
  hooks_heard: ['src/hooks'],
  item_credits: ['src/demand'],
  item_stats: ['src/demand'],
  item_uses: ['src/demand'],
  kept_totals: ['src/usage'],
  leases: ['src/postgres'],
  lexeme_stats: ['src/passages'],
  lexeme_totals: ['src/passages'],
  links: ['src/memories'],
  mcp_sessions: ['src/mcp'],
  memories: ['src/memories'],
  // Kept by triggers on memories and told of events; counted anew for another zone.
  memory_reach: ['src/usage'],
  miss_totals: ['src/usage'],
  model_parts: ['src/embeddings'],
  models: ['src/embeddings'],
  moments: ['src/kernel'],
  momentum_counts: ['src/momentum'],
  notes: ['src/notes'],
  passage_changes: ['src/passages'],
  passage_queue: ['src/passages'],
  passage_totals: ['src/passages'],
  passages: ['src/passages'],
  plan_sessions: ['src/plans'],
  projects: ['src/projects'],
  proposal_files: ['src/gardener'],
  proposals: ['src/gardener'],
  // A trigger counts; the room forgets.
  pulse: ['src/usage'],
  repos: ['src/projects'],
  schema_migrations: ['src/postgres'],
  // Kept by triggers on sessions and on the log; counted anew for another zone.
  session_items: ['src/usage'],
  session_kept: ['src/usage'],
  session_totals: ['src/sessions'],
  session_plans: ['src/plans'],
  // A claim says by which task its session is called, in the function that takes it.
  sessions: ['src/sessions', 'src/tasks'],
  // A store that holds trials has their switch turned on.
  // The zone of the owner's days goes with what is counted by them.
  settings: ['src/features', 'src/kernel', 'src/usage'],
  shown_lately: ['src/usage'],
  shown_memories: ['src/usage'],
  shown_surfaces: ['src/usage'],
  shown_totals: ['src/usage'],
  store: ['src/vault'],
  task_deps: ['src/tasks'],
  task_totals: ['src/tasks'],
  tasks: ['src/tasks'],
  told: ['src/briefing'],
  told_savings: ['src/briefing'],
  trials: ['src/trials'],
  untold: ['src/usage'],
  use_totals: ['src/demand'],
  // A passage that changes carries its vector along or drops it.
  vectors: ['src/embeddings', 'src/passages'],
}

const WRITES = [
  /\b(?:insertInto|updateTable|deleteFrom)\('([a-z_]+)'\)/g,
  /\b(?:insert into|update|delete from)\s+([a-z_]+)\b/g,
]

/** Functions of the database, with their bodies. Who calls one writes what it writes. */
const FUNCTIONS = /create (?:or replace )?function ([a-z_]+)\([\s\S]*?\$\$([\s\S]*?)\$\$/g

/** `db copy` writes whole databases, on their way to somewhere else. */
const EXEMPT = /^src\/(cli|dev)\/|^sql\/migrations\//

test('a table has one writer', () => {
  const tables = new Set(
    [...readFileSync('src/postgres/tables.ts', 'utf8').matchAll(/^ {2}([a-z_]+): \w+Table$/gm)].map(
      ([, table]) => table!,
    ),
  ).add('schema_migrations')
  const functions = globSync('sql/migrations/*.sql').flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(FUNCTIONS),
  ])
  const written: Record<string, string[]> = {}
  for (const path of globSync(['src/**/*.ts', 'sql/*/*.sql'])) {
    if (EXEMPT.test(path)) continue
    const own = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm, '')
    const called = functions.filter(([, name]) => own.includes(`${name}(`))
    const text = [own, ...called.map(([, , body]) => body)].join('\n')
    const area = path.split('/').slice(0, 2).join('/').replace('sql/', 'src/')
    for (const [, table] of WRITES.flatMap((pattern) => [...text.matchAll(pattern)])) {
      if (!tables.has(table!)) continue
      written[table!] = [...new Set([...(written[table!] ?? []), area])].sort()
    }
  }
  // The batching writer names the partitions of these itself.
  written['event_items'] ??= WRITERS['event_items']!
  expect(written).toEqual(WRITERS)
})
