/**
 * Demo data, written through the doors: `npm run demo` fills the service that runs.
 *
 * The program is an agent like any other: it knows the address and the key, and touches no table.
 * A second run changes nothing.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { loadClient } from '../config/client.ts'
import { demoNotes } from './demo-notes.ts'
import { demoMemories, demoSessions } from './demo-sessions.ts'
import { reportFailure } from './report-failure.ts'

const client = new Client({ name: 'loam-demo', version: '1.0.0' })

/** Returns the answer, or the words of the tool's error. */
async function call(tool: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name: tool, arguments: args })
  const [part] = answer.content as { text: string }[]
  return answer.isError
    ? { error: part?.text ?? '' }
    : { result: answer.structuredContent as Record<string, string> }
}

await reportFailure('demo', async () => {
  const service = await loadClient()
  const { url } = service
  const key = await service.key()
  const transport = new StreamableHTTPClientTransport(new URL('/api/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport).catch((error: unknown) => {
    // fetch throws a TypeError when nothing listens. Any other error comes from the service.
    if (!(error instanceof TypeError)) throw error
    throw new Error(`nothing answers at ${url}: start it with npm start`)
  })

  for (const [name, isolation, description] of [
    ['Ledger', 'confidential', 'Invoices and what customers owe'],
    ['Crypt', 'sealed', 'Key rotation and who holds what'],
  ] as const) {
    await call('project_create', { name, isolation, description })
  }

  let written = 0
  for (const { edits = [], appended = [], ...note } of demoNotes) {
    const { result } = await call('notes_create', note)
    if (!result) continue
    written++
    const { id } = result
    if (edits.length > 0) await call('notes_edit', { id, edits })
    for (const body of appended) await call('notes_append', { id, body })
  }
  for (const memory of written > 0 ? demoMemories : []) await call('memory_write', memory)
  for (const { ended, ...session } of written > 0 ? demoSessions : []) {
    const { name } = (await call('session_start', session)).result ?? {}
    if (name && ended) await call('session_end', { session: name, ...ended })
  }
  for (const query of [
    'why does the importer lose rows',
    'deploy window',
    'zeppelin maintenance',
  ]) {
    await call('recall', { query, project: 'atlas' })
  }
  await call('notes_read', { slug: 'csv-importer-drops-the-last-row', project: 'atlas' })
  await call('notes_read', { slug: 'no-such-note', project: 'atlas' })

  await client.close()
  console.log(`${written} notes written to ${url}; look at ${url}/console/`)
})
