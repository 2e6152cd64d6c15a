/** The operator's commands, run in this process against a house of their own. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { run } from '../../src/cli/loam.ts'
import { serveOperator } from '../../src/cli/operator-server.ts'
import { openFolder } from './folder.ts'
import { openHouse, type House } from './house.ts'

export interface Operated extends AsyncDisposable {
  house: House
  /** A folder beside the data directory. */
  folder: string
  /** Runs one command: what it printed, and its exit code. */
  loam(...args: string[]): Promise<{ code: number; said: string[]; complained: string }>
}

export async function openOperated(): Promise<Operated> {
  const folder = await openFolder()
  const dir = join(folder.path, 'data')
  await mkdir(dir)
  const house = await openHouse({ dir })
  const operator = await serveOperator(house.app)
  const file = join(folder.path, 'loam.yaml')
  await writeFile(file, JSON.stringify({ data_dir: dir }))
  return {
    house,
    folder: folder.path,
    async loam(...args) {
      const [said, complained]: [string[], string[]] = [[], []]
      const spies = [
        vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line)),
        vi.spyOn(console, 'error').mockImplementation((line: string) => void complained.push(line)),
        vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
          complained.push(String(text).trimEnd())
          return true
        }),
      ]
      process.exitCode = 0
      try {
        await run([...args, '--config', file])
        return { code: process.exitCode, said, complained: complained.join('\n') }
      } finally {
        process.exitCode = 0
        for (const spy of spies) spy.mockRestore()
      }
    },
    async [Symbol.asyncDispose]() {
      await operator.close()
      await house.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
