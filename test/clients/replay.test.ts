import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { mapRepo } from '../../src/projects/projects.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { misplaced } from './landing.ts'
import { isObject } from './model/turns.ts'
import { readRecording, type Recording } from './recording.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, 'utf8')) as {
  dependencies: Record<string, string>
}
const stories = globSync('recordings/*.json', { cwd: HERE }).map((path): [string, Recording] => [
  path.replace(/^.*\/|\.json$/g, ''),
  readRecording(readFileSync(`${HERE}${path}`, 'utf8')),
])

test('there are stories of a fleet', () => {
  expect(stories.map(([name]) => name).toSorted()).toEqual(['confidential', 'sealed'])
})

describe.each(stories)('the story with a %s project', (_, story) => {
  test('was recorded from the versions that are pinned', () => {
    expect(story.versions).toEqual(dependencies)
  })

  test('has no call that names its project or session', () => {
    const calls = story.requests.map(({ body }) => body).filter(isCall)
    expect(calls.length).toBeGreaterThanOrEqual(200)
    for (const { params } of calls) {
      expect(Object.keys(params.arguments)).not.toContain('project')
      expect(Object.keys(params.arguments)).not.toContain('session')
    }
  })

  test('lands every call in its project, with its session and model', async () => {
    await using house = await openHouse()
    await replay(story, house)
    const { wrong } = await misplaced(house.app.kernel.db, story.made)
    expect(wrong).toEqual([])
    expect(story.made.length).toBeGreaterThanOrEqual(200)
  })
})

interface Call {
  params: { name: string; arguments: Record<string, unknown> }
}

const isCall = (body: unknown): body is Call => isObject(body) && body['method'] === 'tools/call'

/** Sends what the clients sent, in the same order, on connections of its own. */
async function replay({ projects, requests }: Recording, house: House): Promise<void> {
  const { url, key, app } = house
  const owner = await house.connect('owner')
  for (const [slug, isolation] of Object.entries(projects)) {
    await owner.call('project_create', { name: slug, slug, isolation })
    const place = `https://example.com/acme/${slug}.git`
    await mapRepo(app.kernel, { place, project: slug })
  }
  const connections = new Map<string, string>()
  for (const { method, path, headers, body, connection } of requests) {
    const known = headers['mcp-session-id']
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        ...(known && { 'mcp-session-id': connections.get(known) ?? known }),
      },
      ...(body !== '' && { body: JSON.stringify(body) }),
    })
    await answer.text()
    const opened = answer.headers.get('mcp-session-id')
    if (connection && opened) connections.set(connection, opened)
  }
  await app.kernel.telemetry.flush()
}
