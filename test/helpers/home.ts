/** The home of somebody who works with agents, and a PATH with nothing on it but what the test puts there. */
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openFolder } from './folder.ts'
import { type Ran, runOn } from './in-process.ts'

export const KEY = 'the-key-of-a-service-far-away-indeed'

export interface Home extends AsyncDisposable {
  folder: string
  /** The client's file by which the service is found. */
  config: string
  run(...args: string[]): Promise<Ran>
  text(path: string): Promise<string>
  read(path: string): Promise<Record<string, any>>
  write(path: string, text: string | Buffer, mode?: number): Promise<void>
  /** Everything that lies there, with bytes, modes and links. */
  tree(): Promise<Record<string, string>>
}

export async function openHome(url = 'http://127.0.0.1:9'): Promise<Home> {
  const opened = await openFolder()
  const folder = opened.path
  const config = join(folder, '.config/loam/client.yaml')
  const write = async (path: string, text: string | Buffer, mode = 0o644): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { mode })
  }
  await mkdir(join(folder, 'bin'))
  await write('key', KEY)
  await write('.config/loam/client.yaml', `url: ${url}\nkey_file: ${join(folder, 'key')}\n`)
  const env = { HOME: folder, PATH: join(folder, 'bin') }
  const text = (path: string): Promise<string> => readFile(join(folder, path), 'utf8')
  return {
    folder,
    config,
    run: (...args) => runOn(args, { cwd: folder, env }),
    text,
    read: async (path) => JSON.parse(await text(path)),
    write,
    tree: () => treeOf(folder),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

async function treeOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of (await readdir(folder, { recursive: true })).toSorted()) {
    const whole = join(folder, path)
    const stat = await lstat(whole)
    const what = stat.isSymbolicLink()
      ? `-> ${await readlink(whole)}`
      : stat.isDirectory()
        ? ''
        : (await readFile(whole)).toString('latin1')
    found[path] =
      `${(stat.mode & 0o7777).toString(8)} ${stat.nlink > 1 && !stat.isDirectory() ? 'named twice ' : ''}${what}`
  }
  return found
}
