/**
 * `events-writer.ts URL COUNT`: so many connections that commit single events as fast as they can, for
 * as many milliseconds as each message says. Answers with the number of commits.
 */
import pg from 'pg'
import { newId } from '../../src/kernel/id.ts'

const [url = '', count = '1'] = process.argv.slice(2)
const clients = Array.from({ length: Number(count) }, () => new pg.Client(url))
await Promise.all(clients.map((client) => client.connect()))
const payload = JSON.stringify({ title: 'A title of some length' })

process.on('message', async (ms: number) => {
  const end = performance.now() + ms
  const commits = await Promise.all(
    clients.map(async (client) => {
      let made = 0
      for (; performance.now() < end; made++) {
        await client.query(
          `insert into events (id, ts, kind, transport, payload)
           values ($1, loam_now(), 'note.written', false, $2)`,
          [newId(new Date()), payload],
        )
      }
      return made
    }),
  )
  process.send!(commits.reduce((sum, each) => sum + each, 0))
})
process.send!('ready')
