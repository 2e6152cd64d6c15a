import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { connect } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam, startService } from '../helpers/service.ts'
import { freshId, healthy } from './damage.cases.ts'

/** Nothing is closed to root. */
const isRoot = process.getuid?.() === 0
const NOBODY = '65534'
const under = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

test.skipIf(isRoot && !existsSync('/usr/bin/setpriv'))(
  'a folder that the service may not read keeps the others from nobody, and is told',
  async () => {
    await using folder = await openFolder()
    // The service as another user comes through here.
    await chmod(dirname(folder.path), 0o711)
    await chmod(folder.path, 0o777)
    const dataDir = join(folder.path, 'loam-data')
    await (await openTestDatabase({ onDisk: dataDir })).close()
    const at = (path: string) => join(dataDir, path)
    for (const project of ['atlas', 'beta', 'cargo']) {
      await mkdir(at(`notes/${project}`), { recursive: true })
      await writeFile(at(`notes/${project}/x.md`), healthy(freshId(), { title: `In ${project}` }))
    }
    await chmod(at('notes/beta'), 0)
    if (isRoot) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, dataDir])

    await using service = await startService({ folder: folder.path, under })
    const health = async () => (await fetch(`${service.url}/healthz?ready=1`)).status
    await vi.waitFor(async () => expect(await health()).toBe(200), 60_000)
    await using agent = await connect(service)
    const read = (slug: string, project: string) => agent.call('notes_read', { slug, project })
    expect(await read('x', 'cargo')).toMatchObject({ title: 'In cargo' })
    await expect(read('y', 'cargo')).rejects.toThrow('no note')

    // What was read before it was closed stays, and is listed.
    await chmod(at('notes/atlas'), 0)
    await loam(['reindex', '--quiet'], { folder: folder.path })
    const doctor = await loam(['doctor', '--quiet'], { folder: folder.path })
    expect(doctor.stdout).toMatch(/notes\/atlas\/x\.md.*may not be read/)
    expect(service.stderr()).toMatch(/"path":"notes\/beta".*may not be read/)
    for (const project of ['atlas', 'beta']) await chmod(at(`notes/${project}`), 0o700)
    await loam(['reindex', '--quiet'], { folder: folder.path })
    for (const project of ['atlas', 'beta'])
      expect(await read('x', project)).toMatchObject({ title: `In ${project}` })
    await service.stop()
  },
)
