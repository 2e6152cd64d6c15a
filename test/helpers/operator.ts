/** The operator's commands, run in this process against a house. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operationOf } from '../../src/cli/commands.ts'
import { serveOperator } from '../../src/cli/operator/store/operator-server.ts'
import { openFolder } from './folder.ts'
import { openHouse, type House, type HouseOptions } from './house.ts'
import { linesOf, runOn } from './in-process.ts'

export interface Operated extends AsyncDisposable {
  house: House
  /** A folder beside the data directory, in which the commands run. */
  folder: string
  /** Runs one command: what it printed, and its exit code. */
  loam(...args: string[]): Promise<{ code: number; said: string[]; complained: string }>
}

export async function openOperated(options: HouseOptions = {}): Promise<Operated> {
  const folder = await openFolder()
  const house = await openHouse(options)
  const operator = await serveOperator(house.app, operationOf)
  const file = join(folder.path, 'loam.yaml')
  await writeFile(file, JSON.stringify({ data_dir: house.dir }))
  return {
    house,
    folder: folder.path,
    async loam(...args) {
      const { PATH } = process.env
      const machine = { cwd: folder.path, env: { HOME: folder.path, PATH } }
      const { code, stdout, stderr } = await runOn([...args, '--quiet', '--config', file], machine)
      return { code, said: linesOf(stdout), complained: stderr.trimEnd() }
    },
    async [Symbol.asyncDispose]() {
      await operator.close()
      await house[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
