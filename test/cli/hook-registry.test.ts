import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientProcess, type ClientProcess } from '../../src/cli/client/process-key.ts'
import { registryOf, reportGone, type Session } from '../../src/cli/client/registry.ts'
import { openFolder } from '../helpers/folder.ts'
import { hook, openHookService } from '../helpers/hooks.ts'

/** A process of the test's own, in the place of a client. */
function openClient(): { child: ChildProcess; at: ClientProcess; end(): Promise<void> } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  return {
    child,
    at: clientProcess(child.pid)!,
    async end() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const claude = (session_id: string): Session => ({ client: 'claude-code', session_id })
const left = (session: Session, { key }: ClientProcess) => ({ ...session, process: key })

describe.runIf(process.platform !== 'win32')('the registry of clients on a machine', () => {
  test('tells once which sessions were left by a process that was killed', async () => {
    await using folder = await openFolder()
    const registry = registryOf({}, folder.path)
    const [one, two] = [openClient(), openClient()]
    registry.announce(one.at, claude('a'))
    registry.announce(one.at, claude('b'))
    registry.announce(two.at, { client: 'codex', session_id: 'c' })
    expect(registry.gone().gone).toEqual([])

    await one.end()
    const { gone, told } = registry.gone()
    expect(gone).toEqual([left(claude('a'), one.at), left(claude('b'), one.at)])
    // Until the service has taken it, the next one says it as well.
    expect(registry.gone().gone).toEqual(gone)
    told()
    expect(registry.gone().gone).toEqual([])
    await two.end()
    expect(registry.gone().gone).toEqual([left({ client: 'codex', session_id: 'c' }, two.at)])
  })

  test('says nothing of a session that ended in order, or that another process goes on with', async () => {
    await using folder = await openFolder()
    const registry = registryOf({}, folder.path)
    const [one, two] = [openClient(), openClient()]
    registry.announce(one.at, claude('ended'))
    registry.announce(one.at, claude('resumed'))
    registry.retire(one.at, claude('ended'))
    await one.end()
    registry.announce(two.at, claude('resumed'))
    const { gone, told } = registry.gone()
    expect(gone).toEqual([])
    told()
    registry.retire(two.at, claude('resumed'))
    expect(await readdir(join(folder.path, '.local/state/loam/clients'))).toEqual([])
    await two.end()
  })

  test('belongs to its user alone, and stays small', async () => {
    await using folder = await openFolder()
    const clients = join(folder.path, 'state/loam/clients')
    const registry = registryOf({ XDG_STATE_HOME: join(folder.path, 'state') }, folder.path)
    await mkdir(clients, { recursive: true, mode: 0o700 })
    const old = Array.from({ length: 210 }, (_, index) => index.toString(16).padStart(32, '0'))
    for (const [index, key] of old.entries()) {
      await writeFile(join(clients, `${key}.json`), 'torn')
      await utimes(join(clients, `${key}.json`), 1_000 + index, 1_000 + index)
    }
    const one = openClient()
    registry.announce(one.at, claude('a'))
    const kept = await readdir(clients)
    expect(kept).toHaveLength(200)
    expect(kept).toContain(`${one.at.key}.json`)
    expect(kept).not.toContain(`${old[0]}.json`)
    expect((await stat(join(clients, `${one.at.key}.json`))).mode & 0o777).toBe(0o600)
    await one.end()
    expect(registry.gone().gone).toEqual([left(claude('a'), one.at)])
  })

  test('judges no entry of another machine, whose processes it cannot see', async () => {
    await using folder = await openFolder()
    const registry = registryOf({}, folder.path)
    const one = openClient()
    registry.announce(one.at, claude('a'))
    const path = join(folder.path, '.local/state/loam/clients', `${one.at.key}.json`)
    const entry = JSON.parse(await readFile(path, 'utf8')) as object
    await writeFile(path, JSON.stringify({ ...entry, machine: 'another' }))
    await one.end()
    expect(registry.gone().gone).toEqual([])
  })

  test('disturbs nobody when it cannot be written or read', async () => {
    await using folder = await openFolder()
    await writeFile(join(folder.path, 'state'), 'a file')
    const where = { env: { XDG_STATE_HOME: join(folder.path, 'state') }, home: folder.path }
    const registry = registryOf(where.env, where.home)
    const own = clientProcess(process.pid)!
    registry.announce(own, claude('a'))
    registry.retire(own, claude('a'))
    registry.gone().told()
    await reportGone(where, () => Promise.reject(new Error('nothing is sent')))
  })

  test('is kept and told by the hooks of a session', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    const config = join(folder.path, 'client.yaml')
    await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
    await writeFile(config, `url: ${service.url}\nkey_file: ./key\n`)
    const registry = registryOf({ XDG_STATE_HOME: join(folder.path, 'state') }, folder.path)
    const one = openClient()
    registry.announce(one.at, claude('killed'))
    await one.end()

    const payload = { session_id: 'own', cwd: '/' }
    await hook('user-prompt-submit', payload, { config })
    await hook('session-start', payload, { config })
    await hook('stop', payload, { config })
    expect(service.posted.map(({ body }) => body['gone'])).toEqual([
      undefined,
      [left(claude('killed'), one.at)],
      undefined,
    ])
    const clients = join(folder.path, 'state/loam/clients')
    expect(await readdir(clients)).toHaveLength(1)
    await hook('session-end', payload, { config })
    expect(await readdir(clients)).toEqual([])
  })

  test('keeps a session whose end the service did not hear', async () => {
    await using folder = await openFolder()
    await using service = await openHookService()
    await using away = await openHookService({ status: 503 })
    const config = join(folder.path, 'client.yaml')
    await writeFile(join(folder.path, 'key'), 'the-key-of-a-service')
    const clientOf = ({ url }: { url: string }) =>
      writeFile(config, `url: ${url}\nkey_file: ./key\n`)
    const clients = join(folder.path, 'state/loam/clients')
    const payload = { session_id: 'own', cwd: '/' }

    await clientOf(service)
    await hook('session-start', payload, { config })
    await clientOf(away)
    expect((await hook('session-end', payload, { config })).stderr).toHaveLength(1)
    expect(await readdir(clients)).toHaveLength(1)
    await clientOf(service)
    await hook('session-end', payload, { config })
    expect(await readdir(clients)).toEqual([])
  })
})
