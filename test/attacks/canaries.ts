import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { headersWith, openWire, send } from '../helpers/wire.ts'
import { defineAttack, none } from './attack.ts'
import { startProduct } from './product.ts'

const KEY = 'canary-key-sings-7f3a9c1e'
const TEXT = 'canarytext4411'

export const canaries = defineAttack({
  id: 'S11',
  title: 'neither the key nor the text of a note is in a log, an error or a health page',
  rounds: 1,

  async run({ log }) {
    await using product = await startProduct({ LOAM_MCP_API_KEY: KEY, LOAM_LOG_LEVEL: 'trace' })
    const wire = await openWire(product)
    const call = (name: string, args: object) => wire.ask('tools/call', { name, arguments: args })
    const note = { title: 'A canary', body: `one ${TEXT} two`, project: 'atlas' }
    const { body } = await call('notes_create', note)
    const { id } = body.result.structuredContent as { id: string }
    const read = await call('notes_read', { id })
    const hash: string = read.body.result.structuredContent.content_hash

    // Refusals of every kind, around an item that holds the canary.
    const refused = await Promise.all([
      call('notes_create', note),
      call('notes_edit', { id, edits: [{ old_string: 'no such words', new_string: 'x' }] }),
      call('notes_edit', { id, edits: [{ old_string: 'o', new_string: 'x' }] }),
      call('notes_update', { id, body: 'x', expect_hash: 'f'.repeat(64) }),
      call('notes_update', { id, project: '../..' }),
      call('notes_read', { id: 'nope' }),
      call('notes_append', { id: 7 }),
      wire.ask('no/such/method', { key: 1 }),
      wire.send({ body: '{' }),
      wire.send({ body: [] }),
      wire.send({ headers: { accept: 'x' } }),
      wire.send({ headers: { 'mcp-session-id': 'x' }, body: {} }),
      send(product.url, { path: '/healthz' }),
      send(product.url, { path: '/healthz', headers: headersWith(KEY) }),
      send(product.url, { path: `/${KEY}?key=${KEY}` }),
      send(product.url, { path: '/nope', headers: headersWith(KEY) }),
      send(product.url, { path: '/api/mcp', headers: headersWith(`${KEY}x`), method: 'POST' }),
    ])
    await call('notes_delete', { id })
    await product.service.stop()

    const printed = product.service.stdout() + product.service.stderr()
    const found: unknown[] = refused
      .map(({ status, text, headers }) => ({ status, all: text + JSON.stringify(headers) }))
      .filter(({ all }) => all.includes(KEY) || all.includes(TEXT))
    if (printed.includes(KEY) || printed.includes(TEXT)) found.push('the log')
    if (printed.includes(hash) && printed.includes(TEXT)) found.push('the log, with its hash')
    for (const file of await readdir(product.folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || /loam-data\/db/.test(join(file.parentPath, file.name))) continue
      const text = await readFile(join(file.parentPath, file.name), 'latin1')
      if (text.includes(TEXT)) found.push(file.name)
    }
    log(`${printed.length} characters of log`)
    none(found, 'a place where a canary was found')
  },
})
