import type { Settings } from '../../../config.ts'
import { keyFile, readKey } from '../../../config/key-file.ts'

/** Says where the key in force is kept. */
export async function placeOfKey(settings: Settings): Promise<string> {
  if (settings.keyFrom) return settings.keyFrom
  const path = keyFile(settings.config)
  return (await readKey(path)) === undefined ? noKeyYet(settings) : path
}

export const noKeyYet = ({ config }: Settings): string =>
  `no key yet: the first "loam serve" writes one to ${keyFile(config)}`
