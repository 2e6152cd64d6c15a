import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { openWorld } from '../helpers/world.ts'

test('x', async () => {
  await using world = await openWorld()
  await using house = await openHouse({ outside: world.outside })
  const agent = await house.connect()
  const url = world.page(
    'tides.example',
    `<!doctype html><html><head><title>Tides   explained &amp; more</title></head><body><nav>Home</nav><article><h1>Tides</h1>${'<p>The sea rises and falls, twice a day, because of the moon, mostly.</p>'.repeat(9)}<p>See <a href="/more">more</a></p></article></body></html>`,
  )
  const t = performance.now()
  const answer = await agent.call('capture_url', { url: `${url}/tides`, project: 'harbor' })
  console.log(performance.now() - t)
  console.log(answer)
  console.log(await readFile(join(house.dir, `notes/harbor/${answer.slug}.md`), 'utf8'))
  console.log(await house.events('note.written'))
  console.log(world.dialled, world.asked, world.requests)
  const sec = await agent
    .call('capture_url', { url: `https://${'secure.example'}/x`, project: 'harbor' })
    .catch((e: Error) => e.message)
  console.log(sec)
  world.page('secure.example', '<title>Tides explained & more</title><p>Hi')
  console.log(
    await agent
      .call('capture_url', { url: `https://${'secure.example'}/x`, project: 'harbor' })
      .catch((e: Error) => e.message),
  )
  expect(1).toBe(1)
})
