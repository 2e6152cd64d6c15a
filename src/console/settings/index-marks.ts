/** The index beside the settings: its entries, and what asks for something or is otherwise than configured. */
import type { featuresOf } from './features.ts'
import type { clientsOf } from './clients.ts'
import type { semanticOf } from './semantic.ts'
import type { storageOf } from './storage.ts'

export interface Mark {
  id: string
  label: string
  /** A word behind it: "2 on"; '' for none. */
  note: string
  tone: 'attention' | 'danger' | null
}

interface Parts {
  features(): ReturnType<typeof featuresOf>
  over(): Promise<object>
  semantic: ReturnType<typeof semanticOf>
  storage: ReturnType<typeof storageOf>
  clients: ReturnType<typeof clientsOf>
}

export async function marksOf({
  features,
  over,
  semantic,
  storage,
  clients,
}: Parts): Promise<Mark[]> {
  const [{ effective }, changed, embeddings, files, disk, hooks] = await Promise.all([
    features(),
    over(),
    semantic.embeddings(),
    storage.files(),
    storage.disk(),
    clients.clients(),
  ])
  const on = Object.values(effective).filter(Boolean).length
  const overrides = Object.keys(changed).length
  const failing = hooks.filter((one) => one.silent || one.hooks.some(({ cause }) => cause)).length
  const entry = (
    id: string,
    label: string,
    note: string | false = '',
    tone: Mark['tone'] = null,
  ) => ({
    ...{ id, label, tone: note ? tone : null },
    note: note || '',
  })
  const diskWord = disk?.short ? 'short' : disk?.advice !== undefined && 'look'
  return [
    entry('features', 'Features', `${on} on`),
    entry('briefing', 'Briefing', overrides > 0 && `${overrides} changed`),
    entry('utility', 'Utility'),
    entry('families', 'Families'),
    entry('projects', 'Projects'),
    entry('clients', 'Clients', failing > 0 && String(failing), 'attention'),
    entry('semantic-index', 'Semantic index', ...semanticMark(embeddings)),
    entry('storage', 'Storage', diskWord, 'attention'),
    entry(
      'files',
      'Files',
      files.storage !== undefined ? 'trouble' : files.unreadable > 0 && String(files.unreadable),
      files.storage !== undefined ? 'danger' : 'attention',
    ),
    entry('configuration', 'Configuration'),
  ]
}

function semanticMark({
  enabled,
  misconfigured,
  restartNeeded,
  trouble,
  backlog,
}: Awaited<ReturnType<Parts['semantic']['embeddings']>>): [string | false, Mark['tone']] {
  if (misconfigured) return ['wrong', 'danger']
  if (restartNeeded) return ['restart', 'attention']
  if (!enabled) return ['off', null]
  if (trouble) return ['held up', 'attention']
  return [backlog > 0 && `${backlog.toLocaleString('en')} wait`, null]
}
