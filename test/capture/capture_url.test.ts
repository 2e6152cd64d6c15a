import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { readWhole } from '../helpers/read-whole.ts'
import { openWorld, type World } from '../helpers/world.ts'

const SENTENCE = 'The sea rises and falls twice a day, because of the moon, and of the sun as well.'
const article = (title: string, body: string): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><nav>Home About</nav>` +
  `<main><article><h1>On tides</h1>${body}</article></main><footer>Imprint</footer></body></html>`
const READABLE = `<p>${SENTENCE}</p>`.repeat(10)

let world: World
let house: House
let agent: Agent

beforeAll(async () => {
  world = await openWorld()
  house = await openHouse({ network: world.network })
  agent = await house.connect()
})
afterAll(async () => {
  await house.close()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  for (const list of [world.dialled, world.asked, world.requests]) list.length = 0
})

const capture = (url: string, project = 'harbor') => agent.call('capture_url', { url, project })
const refusal = (url: string): Promise<string> =>
  capture(url).then(
    () => 'captured',
    (error: Error) => error.message,
  )
const bodyOf = (id: string): Promise<string> => readWhole(agent, 'notes_read', { id })

describe('capture_url', () => {
  test('answers what the note is called, and where the page was asked for', async () => {
    world.page('tides.example', article('Tides   explained &amp; drawn', READABLE))

    const answer = await capture('http://tides.example/a?b=c#d')

    expect(answer).toEqual({
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      slug: 'tides-explained-drawn',
      title: 'Tides explained & drawn',
      project: 'harbor',
      source_url: 'http://tides.example/a?b=c#d',
      project_created: true,
    })
    expect(world.requests).toEqual(['tides.example/a?b=c'])
    expect(world.dialled).toEqual([`${world.names.get('tides.example')![0]![0]}:80`])
  })

  test('calls a note by its id when the page has a title without a letter', async () => {
    for (const host of ['stars.example', 'more-stars.example']) {
      world.page(host, article('***', READABLE))
      const { id, slug, title } = await capture(`http://${host}/`)
      expect([title, slug]).toEqual(['***', (id as string).toLowerCase()])
      expect((await agent.call('notes_read', { slug, project: 'harbor' }))['id']).toBe(id)
    }
  })

  test('keeps the readable part as markdown, below where it came from', async () => {
    world.page(
      'page.example',
      article(
        'A page',
        `${READABLE}<p>See <a href="../more?x=1">more</a>, <a href="javascript:alert(1)">not this</a>
        <img src="/map.png" alt="map"><img src="data:image/png;base64,AAAA" alt="dot"></p>
        <script>steal()</script><style>p { color: red }</style>
        <table><thead><tr><th>port</th><th>high</th></tr></thead><tbody><tr><td>Brest</td><td>7 m</td></tr></tbody></table>
        <pre><code class="language-sh">tide --port brest</code></pre>`,
      ),
    )

    const { id, slug } = await capture('http://page.example/sea/tides/')

    const body = await bodyOf(id)
    expect(body.startsWith('Source: http://page.example/sea/tides/\n\n---\n\n')).toBe(true)
    expect(body).toContain('## On tides')
    expect(body).toContain(`\n\n${SENTENCE}\n\n`)
    expect(body).toContain('[more](http://page.example/sea/more?x=1)')
    expect(body).toContain('![map](http://page.example/map.png)')
    expect(body).toContain('| Brest | 7 m')
    expect(body).toContain('```sh\ntide --port brest\n```')
    for (const gone of ['javascript:', 'data:', 'steal', 'color', 'Home', 'Imprint']) {
      expect(body).not.toContain(gone)
    }
    const file = await readFile(join(house.dir, `notes/harbor/${slug}.md`), 'utf8')
    for (const line of [
      'description: Captured from http://page.example/sea/tides/',
      'source_url: http://page.example/sea/tides/',
      'tags: [created-by:agent, captured-url]',
    ]) {
      expect(file).toContain(`\n${line}\n`)
    }
  })

  test('cuts a title after what looks like a credential is masked in it', async () => {
    const address = ' https://ann:hunt3@db.example/'
    const title = `${'x'.repeat(255 - address.length)}${address}`
    world.page('long.example', article(title, READABLE))
    const { id, title: kept } = await capture('http://long.example/')
    expect(kept).toMatch(/^x+ https:/)
    expect(kept).not.toContain('hunt3')
    expect(Buffer.byteLength(kept as string)).toBeLessThanOrEqual(255)
    expect(await bodyOf(id)).toContain('long.example')
  })

  test('keeps nothing that looks like a credential', async () => {
    // Put together here, so that no scanner takes this file for a leak.
    const token = `ghp_${'aB3d'.repeat(10)}`
    const page = article(`Tides ${token}`, `${READABLE}<p>Use ${token} for it.</p>`)
    world.page('leak.example', page)

    const { id, title } = await capture('http://leak.example/')

    expect(title).toBe('Tides [secret]')
    expect(await bodyOf(id)).toContain('Use [secret] for it.')
    const events = (await house.events('note.written')).concat(await house.events('tool.call'))
    expect(JSON.stringify(events)).not.toContain(token)
  })

  test('tells that a note was written, and from where', async () => {
    world.page('told.example', article('Told', READABLE))

    const { id } = await capture('http://told.example/')

    const written = (await house.events('note.written')).filter(({ item_id }) => item_id === id)
    expect(written.map(({ payload }) => payload)).toEqual([
      { title: 'Told', source_url: 'http://told.example/' },
    ])
  })

  test('numbers the slug when it is taken, also when many race for it', async () => {
    world.page('same.example', article('The same', READABLE))

    const first = await capture('http://same.example/1', 'race')
    const more = await Promise.all(
      [2, 3, 4, 5, 6].map((each) => capture(`http://same.example/${each}`, 'race')),
    )

    expect(first.slug).toBe('the-same')
    expect(more.map(({ slug }) => slug).sort()).toEqual(
      [2, 3, 4, 5, 6].map((each) => `the-same-${each}`),
    )
  })

  test.each([
    ['its own', '<title>One</title><meta property="og:title" content="Two">', 'One'],
    [
      'og:title',
      '<title> </title><meta property="og:title" content="Two &amp; three">',
      'Two & three',
    ],
    ['the address', '<p>x</p>', 'title.example/a/b'],
    ['its own in a line', '<title>a\\b\n  c</title>', 'a/b c'],
    ['the address, as a device', '<title>CON</title>', 'title.example/a/b'],
    ['no more than 255 bytes of it', `<title>${'é'.repeat(200)}</title>`, 'é'.repeat(127)],
  ])('takes for a title %s', async (_, head, title) => {
    world.page('title.example', `<html><head>${head}</head><body><p>${SENTENCE}</p></body></html>`)

    expect((await capture('http://title.example/a/b', 'titles')).title).toBe(title)
  })

  test('keeps the text of the body when nothing reads like an article', async () => {
    world.page('plain.example', '<title>P</title><body><nav>menu</nav><div>one</div><div>two</div>')

    const { id } = await capture('http://plain.example/')

    expect(await bodyOf(id)).toMatch(/---\n\none\n\ntwo$/)
  })

  test('keeps text that is no markup as it is', async () => {
    const text = '# Head\n\n<b>not bold</b> & so *on*\n'
    world.page('text.example', text, 'text/markdown')

    const { id, title } = await capture('http://text.example/README.md')

    expect(title).toBe('text.example/README.md')
    expect(await bodyOf(id)).toBe(`Source: http://text.example/README.md\n\n---\n\n${text}`)
  })

  test('cuts at 50,000 code points, its first lines included, and says so', async () => {
    world.page('long.example', '😀'.repeat(60_000), 'text/plain; charset=utf-8')
    const head = 'Source: http://long.example/\n\n---\n\n'

    const { id } = await capture('http://long.example/')

    const body = await bodyOf(id)
    expect(body).toBe(`${head}${'😀'.repeat(50_000 - head.length)}\n\n[content truncated]`)
  })

  test('reads 2 MiB of a longer page, and says so', async () => {
    const long = `<title>Long</title><p>${SENTENCE}</p><!--${'x'.repeat(3 * 1024 * 1024)}--><p>end</p>`
    world.page('longer.example', long)

    const { id } = await capture('http://longer.example/')

    expect(await bodyOf(id)).toMatch(/---\n\nThe sea [^\n]*\n\n\[content truncated\]$/)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])('understands an answer in %s', async (encoding, compress) => {
    world.host('packed.example', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding })
      response.end(compress(Buffer.from(`packed as ${encoding}`)))
    })

    const { id } = await capture('http://packed.example/')

    expect(await bodyOf(id)).toContain(`packed as ${encoding}`)
  })

  test.each([
    ['text/html; charset=iso-8859-1', Buffer.from('<title>x</title><p>caf\xe9 \x80', 'latin1')],
    ['text/html', Buffer.from('<meta charset="windows-1252"><p>caf\xe9 \x80', 'latin1')],
    ['text/html', Buffer.from('<p>caf\xe9 \x80', 'latin1')],
    ['text/html', Buffer.from('<p>café €')],
    ['text/html; charset=nonsense', Buffer.from('<p>café €')],
    ['text/plain; charset=us-ascii', Buffer.from('\ufeffcafé €')],
    ['text/html', Buffer.from('\ufeff<p>café €', 'utf16le')],
  ])('decodes %s as the standard has it', async (type, bytes) => {
    world.host('charset.example', (_, response) => {
      response.writeHead(200, { 'content-type': type }).end(bytes)
    })

    const { id } = await capture('http://charset.example/')

    expect(await bodyOf(id)).toMatch(/\n\ncafé €$/)
  })

  test('follows redirects by hand, and keeps the address that was asked for', async () => {
    world.page('end.example', article('The end', `${READABLE}<p><a href="x">x</a></p>`))
    world.host('start.example', ({ url }, response) => {
      const to = url === '/' ? '/next?a=b' : 'http://user:secret@end.example/deep/page#frag'
      response.writeHead(url === '/' ? 301 : 307, { location: to }).end()
    })

    const { id, source_url } = await capture('http://start.example')

    expect(source_url).toBe('http://start.example')
    expect(world.requests).toEqual([
      'start.example/',
      'start.example/next?a=b',
      'end.example/deep/page',
    ])
    expect(await bodyOf(id)).toContain('[x](http://end.example/deep/x)')
  })

  test('sends no credentials, no cookies, and says who it is', async () => {
    let headers: Record<string, unknown> = {}
    world.host('headers.example', (request, response) => {
      headers = request.headers
      if (request.url === '/')
        response.writeHead(302, { location: '/2', 'set-cookie': 'a=b' }).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('x')
    })

    await capture('http://headers.example')

    expect(headers['user-agent']).toMatch(/^Loam\/\d/)
    expect(headers).not.toHaveProperty('cookie')
    expect(headers).not.toHaveProperty('authorization')
  })

  test('takes a certificate that names the host, and no other', async () => {
    world.page('secure.example', article('Secure', READABLE))
    world.page('wrong.example', article('Wrong', READABLE))

    expect((await capture('https://secure.example/')).title).toBe('Secure')
    expect(await refusal('https://wrong.example/')).toMatch(
      /URL fetch failed \(TLS was not accepted\)/,
    )
    expect(world.dialled.every((each) => each.endsWith(':443'))).toBe(true)
  })

  test('tries the next address when one does not answer', async () => {
    world.page('two.example', article('Two', READABLE))
    world.names.set('two.example', [['203.0.114.1', '93.184.216.200']])
    world.unreachable.add('203.0.114.1')

    expect((await capture('http://two.example/')).title).toBe('Two')
    expect(world.dialled).toEqual(['203.0.114.1:80', '93.184.216.200:80'])
  })

  test('connects to what was judged, whatever the name resolves to a moment later', async () => {
    world.page('rebind.example', article('Rebound', READABLE))
    world.names.set('rebind.example', [['93.184.216.77'], ['127.0.0.1']])

    await capture('http://rebind.example/')

    expect(world.asked).toEqual(['rebind.example'])
    expect(world.dialled).toEqual(['93.184.216.77:80'])
    expect(await refusal('http://rebind.example/')).toMatch(/private\/loopback/)
    expect(world.dialled).toHaveLength(1)
  })

  test('resolves the scope first: nothing is looked up for a caller who may not write', async () => {
    world.page('scoped.example', article('Scoped', READABLE))
    const inside = await house.inside('ledger', 'confidential')

    await expect(agent.call('capture_url', { url: 'http://scoped.example/' })).rejects.toThrow(
      'capture_url: ambiguous scope',
    )
    await expect(
      inside.call('capture_url', { url: 'http://scoped.example/', project: 'elsewhere' }),
    ).rejects.toThrow('capture_url: ')
    expect(world.asked).toEqual([])
    const own = await inside.call('capture_url', { url: 'http://scoped.example/' })
    expect(own.project).toBe('ledger')
  })

  describe('refuses', () => {
    test.each([
      ['', 'url must not be blank'],
      ['not a url', 'invalid URL: '],
      ['//example.org/x', 'invalid URL: '],
      ['http://', 'invalid URL: '],
      ['http://exa\nmple.org/', 'invalid URL: it holds a control character'],
      ['http://[fe80::1%25eth0]/', 'invalid URL: '],
      ['http://user:secret@open.example/', 'invalid URL: it holds a user name or a password'],
      ['ftp://open.example/', 'URL scheme not allowed'],
      ['file:///etc/passwd', 'URL scheme not allowed'],
      ['javascript:alert(1)', 'URL scheme not allowed'],
      ['data:text/html,hi', 'URL scheme not allowed'],
      ['http://open.example:8080/', 'URL port not allowed'],
      ['https://open.example:22/', 'URL port not allowed'],
      ['http://127.0.0.1/', 'URL points to private/loopback address'],
      ['http://user@127.1/', 'URL points to private/loopback address'],
      ['http://2130706433/', 'URL points to private/loopback address'],
      ['http://[::ffff:169.254.169.254]/', 'URL points to private/loopback address'],
      ['http://inner.example/', 'URL points to private/loopback address'],
      ['http://mixed.example/', 'URL points to private/loopback address'],
      ['http://unknown.example/', 'URL fetch failed (the host name does not resolve)'],
      ['http://nobody.example/', 'URL fetch failed (the host refused the connection)'],
    ])('%j', async (url, message) => {
      world.names.set('inner.example', [['10.1.2.3']])
      world.names.set('mixed.example', [['93.184.216.9', '::1']])
      world.names.set('nobody.example', [['93.184.216.99']])
      world.unreachable.add('93.184.216.99')

      const said = await refusal(url)

      expect(said.startsWith(`capture_url: ${message}`), said).toBe(true)
      expect(said).not.toMatch(/10\.1\.2\.3|::1|93\.184|secret/)
      expect(world.requests).toEqual([])
      const reached = url.includes('nobody')
      expect(world.dialled.length > 0).toBe(reached)
    })

    test.each([
      ['http://127.0.0.1/', 'URL points to private/loopback address'],
      ['http://inner.example/', 'URL points to private/loopback address'],
      ['//0x7f.1/', 'URL points to private/loopback address'],
      ['http://open.example:6379/', 'URL port not allowed'],
      ['file:///etc/passwd', 'URL scheme not allowed'],
      ['http://[', 'URL fetch failed (a redirect leads to an invalid URL)'],
    ])('a redirect to %j', async (location, message) => {
      world.names.set('inner.example', [['10.1.2.3']])
      world.host('door.example', (_, response) => response.writeHead(302, { location }).end())

      const said = await refusal('http://door.example/')

      expect(said.startsWith(`capture_url: ${message}`), said).toBe(true)
      expect(said).toContain('[after a redirect]')
      expect(world.dialled).toHaveLength(1)
    })

    test('a redirect from https to http', async () => {
      world.host('secure.example', (_, response) =>
        response.writeHead(302, { location: 'http://secure.example/' }).end(),
      )
      expect(await refusal('https://secure.example/')).toMatch(
        /scheme not allowed; .*https to http/,
      )
      expect(world.dialled).toHaveLength(1)
    })

    test('an eleventh redirect', async () => {
      world.host('loop.example', (_, response) => response.writeHead(302, { location: '/' }).end())

      expect(await refusal('http://loop.example/')).toMatch(/too many redirects/)
      expect(world.requests).toHaveLength(11)
    })

    test.each([301, 304, 400, 404, 500, 503])('status %d', async (status) => {
      world.host('status.example', (_, response) => response.writeHead(status).end('inner words'))

      expect(await refusal('http://status.example/')).toMatch(
        new RegExp(`^capture_url: URL fetch failed \\(status ${status}\\); `),
      )
    })

    test.each(['application/pdf', 'image/png', 'application/octet-stream', 'video/mp4'])(
      'a file of type %s',
      async (type) => {
        world.page('file.example', '%PDF-1.7', type)

        expect(await refusal('http://file.example/')).toContain(`content type ${type}`)
      },
    )

    test.each([
      ['nothing', ''],
      [
        'a page that only a script fills',
        '<title>App</title><div id="root"></div><script>go()</script>',
      ],
      ['bytes under the name of a page', 'GIF89a\0\0\0\x01 <p>text'],
    ])('%s', async (_, html) => {
      world.page('empty.example', html)

      expect(await refusal('http://empty.example/')).toMatch(/the page holds no text/)
    })

    test.each([
      ['gzip', 'plain words', 'its compression is broken'],
      ['snappy', 'plain words', 'its content encoding is not known'],
      ['gzip, gzip, gzip', 'plain words', 'its content encoding is not known'],
    ])('an answer that is not in %s as it says', async (encoding, body, reason) => {
      world.host('broken.example', (_, response) => {
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding })
          .end(body)
      })
      expect(await refusal('http://broken.example/')).toContain(`URL fetch failed (${reason})`)
    })

    test('an answer that breaks off', async () => {
      world.host('half.example', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' })
        response.write('<p>half of it', () => response.destroy())
      })
      expect(await refusal('http://half.example/')).toContain(
        'URL fetch failed (the connection broke)',
      )
    })

    test('one more when a dozen are on their way', async () => {
      const { promise: opened, resolve: open } = Promise.withResolvers<void>()
      world.host('slow.example', async (_, response) => {
        await opened
        response.writeHead(200, { 'content-type': 'text/plain' }).end('at last')
      })
      const many = Array.from({ length: 14 }, (_, n) => refusal(`http://slow.example/${n}`))
      await expect.poll(() => world.requests.length).toBe(4)
      await expect(Promise.race(many)).resolves.toContain(
        'too many pages are being captured at once',
      )
      open()
      const said = await Promise.all(many)
      expect(said.filter((each) => each === 'captured')).toHaveLength(12)
    })
  })
})

test('a capture under way ends with the service, and leaves no note', async () => {
  await using world = await openWorld()
  const house = await openHouse({ network: world.network })
  const agent = await house.connect()
  world.host('never.example', () => {})
  const said = agent
    .call('capture_url', { url: 'http://never.example/', project: 'harbor' })
    .catch((error: Error) => error.message)
  await expect.poll(() => world.requests.length).toBe(1)

  const closing = house.app.close()

  expect(await said).toBe('capture_url: the service is stopping; try again')
  await closing
  expect((await house.files()).filter((file) => file.startsWith('notes/'))).toEqual([])
  await house.close()
})

describe('a name of a local network', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'wiki',
    'a.localhost',
    'wiki.internal',
    'ｗｉｋｉ．ｉｎｔｅｒｎａｌ',
    'printer.local',
    'nas.home.arpa',
    'api.shop.svc',
    'api.shop.svc.cluster.local',
    'x.invalid',
    'x.test',
    'x.onion',
    'x.lan..',
  ])('such as %s is refused before it is looked up', async (name) => {
    world.names.set(name, [['93.184.216.77']])
    expect(await refusal(`http://${name}/`)).toMatch(/URL names a host of a local network/)
    world.host('way.example', (_, response) =>
      response.writeHead(302, { location: `http://${encodeURI(name)}/` }).end(),
    )
    expect(await refusal('http://way.example/')).toMatch(/names a host of a local network/)
    expect(world.asked).toEqual(['way.example'])
  })

  test('is looked up when the owner has opened it, and its address must still be public', async () => {
    const env = { LOAM_CAPTURE_ALLOWED_HOSTS: 'wiki.internal,*.corp.internal' }
    await using house = await openHouse({ network: world.network, env })
    const agent = await house.connect()
    const capture = (url: string) => agent.call('capture_url', { url, project: 'harbor' })
    world.page('wiki.internal', article('W', READABLE))
    world.page('a.b.corp.internal', article('C', READABLE))
    world.names.set('c.corp.internal', [['10.1.2.3']])

    expect(await capture('http://wiki.internal/')).toMatchObject({ title: 'W' })
    expect(await capture('http://a.b.corp.internal/')).toMatchObject({ title: 'C' })
    await expect(capture('http://c.corp.internal/')).rejects.toThrow(/private\/loopback address/)
    await expect(capture('http://corp.internal/')).rejects.toThrow(/of a local network/)
  })
})
