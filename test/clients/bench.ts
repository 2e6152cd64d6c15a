/** A machine of an agent's user: a home with clients that Loam is installed into, clones, and a service. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Isolation } from '../../src/projects/projects.ts'
import { connect } from '../helpers/agent.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { loam, startService, type Service } from '../helpers/service.ts'
import { environment, type Place, type RealClient } from './client.ts'
import { misplaced, type Judged, type Made } from './landing.ts'
import { openModel, type Model } from './model/model.ts'
import { clientPackages } from './packages.ts'
import { openRecorder, type Recorder } from './recorder.ts'

const run = promisify(execFile)
const PROGRAM = fileURLToPath(new URL('../../bin/loam.mjs', import.meta.url))

export interface Bench extends AsyncDisposable {
  folder: string
  place: Place
  model: Model
  recorder: Recorder
  service(): Service
  /** A fresh clone of the project's repository, which the service takes for it by its remote. */
  clone(project: string): Promise<string>
  /** A linked worktree of a clone. */
  worktree(clone: string): Promise<string>
  /** Kills the service, and starts it again on the same store. */
  restart(): Promise<void>
  /** Stops the service, and says of which of these calls it does not know the right things. */
  misplaced(made: readonly Made[]): Promise<Judged>
}

interface Wishes {
  clients: readonly RealClient[]
  projects: Record<string, Isolation>
  before?: (script: string, turn: number) => Promise<void>
  log: (line: string) => void
}

export async function openBench({ clients, projects, before, log }: Wishes): Promise<Bench> {
  const { modules } = await clientPackages()
  const folder = await mkdtemp(join(tmpdir(), 'loam-clients-'))
  const home = join(folder, 'home')
  await mkdir(join(home, '.config/loam'), { recursive: true })
  let service = await startService({ folder })
  const recorder = await openRecorder(service.url)
  const model = await openModel(before ? { before } : {})
  const place: Place = { home, modules, model: model.url }
  await writeFile(
    join(home, '.config/loam/client.yaml'),
    `url: ${recorder.url}\nkey_file: ${join(service.dataDir, 'api-key')}\n`,
  )
  await createProjects(service, folder, projects)
  for (const client of clients) {
    await client.prepare(place)
    const words = ['install-hooks', '--client', client.installed, '--allow-tools', '--no-skills']
    const installed = await run(process.execPath, [PROGRAM, ...words], {
      cwd: home,
      env: environment(place),
    })
    log(`${client.name}: ${installed.stdout.trim().replaceAll(/\s*\n\s*/g, '; ')}`)
  }
  recorder.requests.length = 0

  const git = (cwd: string, ...words: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd })
  let clones = 0
  return {
    folder,
    place,
    model,
    recorder,
    service: () => service,
    async clone(project) {
      const path = join(folder, `work-${++clones}`, project)
      await mkdir(path, { recursive: true })
      await git(path, 'init', '--quiet')
      await git(path, 'remote', 'add', 'origin', remoteOf(project))
      await git(path, 'commit', '--quiet', '--allow-empty', '--message', 'Begin')
      return path
    },
    async worktree(clone) {
      const path = `${clone}-side`
      await git(clone, 'worktree', 'add', '--quiet', '--detach', path)
      return path
    },
    async restart() {
      await recorder.goAway()
      await service.stop('SIGKILL')
      service = await startService({ folder })
      await recorder.comeBack(service.url)
    },
    async misplaced(made) {
      await service.stop()
      const database = await openTestDatabase({ onDisk: service.dataDir })
      try {
        return await misplaced(database.db, made)
      } finally {
        await database.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await recorder[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      // A client that was cut off may still be writing.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Each belongs to a remote before anybody works in a clone of it. */
async function createProjects(
  service: Service,
  folder: string,
  projects: Record<string, Isolation>,
): Promise<void> {
  await using owner = await connect({ url: service.url, key: service.key, name: 'owner' })
  for (const [slug, isolation] of Object.entries(projects)) {
    await owner.call('project_create', { name: slug, slug, isolation })
    const mapped = await loam(['map-repo', '--project', slug, '--remote', remoteOf(slug)], {
      folder,
    })
    if (mapped.code !== 0) throw new Error(`map-repo: ${mapped.stderr}`)
  }
}

const remoteOf = (project: string): string => `https://example.com/acme/${project}.git`
