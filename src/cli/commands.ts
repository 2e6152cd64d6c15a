/** Every command there is, in the order of the help. Each file is imported when its command is run. */
import type { Audience, Command, Operation } from './command.ts'

export interface Listed {
  name: string
  load(): Promise<Record<string, Command>>
}

/** A word that does nothing itself: other commands follow it. */
export interface Group {
  name: string
  summary: string
  /** Whose --config the word itself takes; absent: it takes none. */
  config?: Audience
  /** The command that is meant when none follows. */
  fallback?: string
}

export const COMMANDS: readonly (Listed | Group)[] = [
  { name: 'serve', load: () => import('./operator/serve.ts') },
  { name: 'doctor', load: () => import('./operator/doctor.ts') },
  { name: 'reindex', load: () => import('./operator/reindex.ts') },
  { name: 'export', load: () => import('./operator/export.ts') },
  { name: 'import', load: () => import('./operator/import.ts') },
  { name: 'bridge', load: () => import('./agent/bridge.ts') },
  { name: 'console', load: () => import('./agent/console.ts') },
  { name: 'key', load: () => import('./operator/key.ts') },
  { name: 'key rotate', load: () => import('./operator/key-rotate.ts') },
  { name: 'hook', load: () => import('./agent/hook.ts') },
  { name: 'install-hooks', load: () => import('./agent/install-hooks.ts') },
  { name: 'uninstall', load: () => import('./agent/uninstall.ts') },
  { name: 'connect', load: () => import('./agent/connect.ts') },
  { name: 'mcp-headers', load: () => import('./agent/mcp-headers.ts') },
  { name: 'prime', load: () => import('./agent/prime.ts') },
  { name: 'remember', load: () => import('./agent/remember.ts') },
  { name: 'recall', load: () => import('./agent/recall.ts') },
  { name: 'capture', load: () => import('./agent/capture.ts') },
  { name: 'fav', load: () => import('./agent/fav.ts') },
  { name: 'usage', load: () => import('./agent/usage.ts') },
  { name: 'sessions', load: () => import('./agent/sessions.ts') },
  { name: 'status', load: () => import('./agent/status.ts') },
  { name: 'ready', load: () => import('./agent/ready.ts') },
  {
    name: 'task',
    summary: 'work that is divided: task add, list, show, claim, done, release, …',
  },
  { name: 'task add', load: () => import('./agent/task-add.ts') },
  { name: 'task list', load: () => import('./agent/task-list.ts') },
  { name: 'task show', load: () => import('./agent/task-show.ts') },
  { name: 'task start', load: () => import('./agent/task-start.ts') },
  { name: 'task done', load: () => import('./agent/task-done.ts') },
  { name: 'task drop', load: () => import('./agent/task-drop.ts') },
  { name: 'task reopen', load: () => import('./agent/task-reopen.ts') },
  { name: 'task claim', load: () => import('./agent/task-claim.ts') },
  { name: 'task heartbeat', load: () => import('./agent/task-heartbeat.ts') },
  { name: 'task release', load: () => import('./agent/task-release.ts') },
  { name: 'version', load: () => import('./agent/version.ts') },
  {
    name: 'embeddings',
    summary: 'say how embeddings are, switch them, or have all vectors made again',
    config: 'operator',
    fallback: 'status',
  },
  { name: 'embeddings status', load: () => import('./operator/embeddings-status.ts') },
  { name: 'embeddings auto', load: () => import('./operator/embeddings-auto.ts') },
  { name: 'embeddings off', load: () => import('./operator/embeddings-off.ts') },
  { name: 'embeddings reembed', load: () => import('./operator/embeddings-reembed.ts') },
  {
    name: 'features',
    summary: 'say which optional features are on, or switch them: features on research',
    config: 'operator',
    fallback: 'list',
  },
  { name: 'features list', load: () => import('./operator/features-list.ts') },
  { name: 'features on', load: () => import('./operator/features-on.ts') },
  { name: 'features off', load: () => import('./operator/features-off.ts') },
  { name: 'features reset', load: () => import('./operator/features-reset.ts') },
  { name: 'map-repo', load: () => import('./operator/map-repo.ts') },
  { name: 'repos', load: () => import('./operator/repos.ts') },
  {
    name: 'family',
    summary: 'projects whose briefings tell of each other: family list, add, remove',
  },
  { name: 'family list', load: () => import('./operator/family-list.ts') },
  { name: 'family add', load: () => import('./operator/family-add.ts') },
  { name: 'family remove', load: () => import('./operator/family-remove.ts') },
  { name: 'plan', summary: 'what agents mean to do: plan list, show, approve, check' },
  { name: 'plan list', load: () => import('./operator/plan-list.ts') },
  { name: 'plan show', load: () => import('./operator/plan-show.ts') },
  { name: 'plan approve', load: () => import('./operator/plan-approve.ts') },
  { name: 'plan check', load: () => import('./operator/plan-check.ts') },
  {
    name: 'project',
    summary: 'look after projects: project list, show, rename, parent, retire, unretire',
  },
  { name: 'project list', load: () => import('./operator/project-list.ts') },
  { name: 'project show', load: () => import('./operator/project-show.ts') },
  { name: 'project rename', load: () => import('./operator/project-rename.ts') },
  { name: 'project parent', load: () => import('./operator/project-parent.ts') },
  { name: 'project retire', load: () => import('./operator/project-retire.ts') },
  { name: 'project unretire', load: () => import('./operator/project-unretire.ts') },
  { name: 'gardener', summary: 'look for clean-ups to propose: gardener run' },
  { name: 'gardener run', load: () => import('./operator/gardener-run.ts') },
  { name: 'db', summary: 'work on the database as a whole: db copy' },
  { name: 'db copy', load: () => import('./operator/db-copy.ts') },
]

export const isGroup = (entry: Listed | Group): entry is Group => 'summary' in entry

/** Imports the file of a command, whose one export is the command. */
export async function load(listed: Listed): Promise<Command> {
  const [command] = Object.values(await listed.load())
  if (!command) throw new Error(`the file of the command "${listed.name}" exports nothing`)
  return command
}

/** The operation of the command with this name; undefined when it has none. */
export async function operationOf(name: string): Promise<Operation | undefined> {
  const entry = COMMANDS.find((each) => each.name === name)
  return entry && !isGroup(entry) ? (await load(entry)).operation : undefined
}
