import { loadConfig, type Settings } from '../config.ts'
import { rotateKey, withKey } from '../config/key.ts'
import { keyFile, readKey } from '../config/key-file.ts'
import { invalid } from '../kernel/refusal.ts'

/** Prints where the key is; with `show` the key itself and nothing else. */
export async function showKey({ config: file, show }: { config?: string; show?: true }) {
  const settings = await loadConfig({ file })
  if (!show) {
    console.log(await placeOfKey(settings))
    return
  }
  const key = (await withKey(settings))?.mcp.api_key
  if (key === undefined) throw invalid(noKeyYet(settings))
  if (key === '') throw invalid('mcp.api_key is empty: every request is refused')
  console.log(key)
}

export async function rotate({ config: file }: { config?: string }) {
  const settings = await loadConfig({ file })
  if (settings.keyFrom) throw invalid(`the key is set by ${settings.keyFrom}: change it there`)
  const path = keyFile(settings.config)
  if ((await readKey(path)) === undefined) throw invalid(noKeyYet(settings))
  await rotateKey(path)
  console.log(
    `${path} holds a new key. Restart the service, then the agents that hold the old one.`,
  )
}

/** Where the key in force stands, for people. */
export async function placeOfKey(settings: Settings): Promise<string> {
  if (settings.keyFrom) return settings.keyFrom
  const path = keyFile(settings.config)
  return (await readKey(path)) === undefined ? noKeyYet(settings) : path
}

const noKeyYet = ({ config }: Settings): string =>
  `no key yet: the first "loam serve" writes one to ${keyFile(config)}`
