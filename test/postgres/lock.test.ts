import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockStore } from '../../src/postgres/locks.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'loam-lock-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const HOLD = `
  const { lockStore } = await import(process.argv[1])
  try {
    await lockStore(process.argv[2])
    console.log('held')
    setInterval(() => {}, 1000)
  } catch (error) {
    console.log(error.message)
  }`

/** Another process that tries for the lock and keeps it; answers what it said. */
async function elsewhere(path: string): Promise<{ said: string; child: ChildProcess }> {
  const module = new URL('../../src/postgres/locks.ts', import.meta.url).href
  const args = ['--input-type=module', '-e', HOLD, module, path]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = await new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
  })
  return { said, child }
}

const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })

describe('the lock of an embedded store', () => {
  test('is refused to a second, with the holder named, within two seconds', async () => {
    const { said, child } = await elsewhere(dir)
    expect(said).toBe('held')
    const began = performance.now()
    await expect(lockStore(dir)).rejects.toThrow(
      new RegExp(
        `in use by process ${child.pid} on ${hostname()}, running since .*: stop it first`,
      ),
    )
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(JSON.parse(await readFile(join(dir, 'holder.json'), 'utf8'))).toMatchObject({
      pid: child.pid,
      host: hostname(),
    })
    await end(child)
  })

  test('passes on at once when its holder is killed', async () => {
    const { child } = await elsewhere(dir)
    await end(child)
    const lock = await lockStore(dir)
    await lock.release()
    expect(await readdir(dir)).toEqual(['holder.json'])
  })

  test('is held by a process that is stopped and cannot answer', async () => {
    const { child } = await elsewhere(dir)
    child.kill('SIGSTOP')
    await expect(lockStore(dir)).rejects.toThrow('in use by a process that does not answer')
    child.kill('SIGCONT')
    await end(child)
  })

  test('goes to exactly one of many who start together, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(Array.from({ length: 4 }, () => elsewhere(dir)))
      const held = all.filter(({ said }) => said === 'held')
      const others = all.filter(({ said }) => said !== 'held')
      expect(held).toHaveLength(1)
      const [{ child: holder }] = held as [(typeof held)[0]]
      for (const { said } of others) expect(said).toContain(`in use by process ${holder.pid}`)
      await Promise.all(all.map(({ child }) => end(child)))
    }
  })

  test('goes to exactly one of many attempts within a process', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 12 }, () => lockStore(dir)))
    const held = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(held).toHaveLength(1)
    await held[0]?.value.release()
  })

  test('that cannot be written says which directory, why and what to do', async () => {
    const file = join(dir, 'file')
    await writeFile(file, '')
    await expect(lockStore(join(file, 'db'))).rejects.toThrow(
      /cannot be used: it is not a directory; check data_dir/,
    )
  })

  test('works in a directory whose path is far longer than that of a socket may be', async () => {
    const long = join(dir, 'd'.repeat(100), 'e'.repeat(100))
    const lock = await lockStore(long)
    await expect(lockStore(long)).rejects.toThrow('in use by process')
    await lock.release()
    await (await lockStore(long)).release()
  })
})
