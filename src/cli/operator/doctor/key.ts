import type { Settings } from '../../../config.ts'
import { withKey } from '../../../config/key.ts'
import { keyFile } from '../../../config/key-file.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { type Check, fail, info, ok, refusal, warn } from './check.ts'
import { ownerOnly } from './owner-only.ts'

/** Returns the key in force, '' when there is none or it lets nobody in. */
export async function* checkKey(settings: Settings): AsyncGenerator<Check, string> {
  const config = await withKey(settings).catch(refusal)
  if (config instanceof Refusal) {
    yield fail('key', config.message)
    return ''
  }
  const { api_key: key = '' } = config?.mcp ?? {}
  const place = settings.keyFrom ?? keyFile(settings.config)
  if (!config) yield info('key', `none yet; the first "loam serve" writes one to ${place}`)
  else if (key === '') yield warn('key', `${place} is empty, so every request is refused`)
  else yield ok('key', place)
  if (config && !settings.keyFrom) yield* ownerOnly('key', place, 0o600)
  return key
}
