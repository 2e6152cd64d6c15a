import type { FoundClient } from '../../config/client.ts'
import type { Environment } from '../../config.ts'
import { invalid } from '../../kernel/refusal.ts'

/** The service of the store that stands in the working directory; undefined when none does on this machine. */
export async function clientHere(at: {
  env: Environment
  cwd: string
}): Promise<FoundClient | undefined> {
  const [{ findPlace }, { isLocal }, { withKey }] = await Promise.all([
    import('../../config/place.ts'),
    import('../../config.ts'),
    import('../../config/key.ts'),
  ])
  const place = await findPlace(at, undefined)
  if (place.kind !== 'store' || !isLocal(place.settings.config)) return undefined
  const { url, by, settings } = place
  return {
    url,
    by,
    async key() {
      const key = (await withKey(settings))?.mcp.api_key
      if (key) return key
      throw invalid(`no key for ${url}: start "loam serve" once here`)
    },
  }
}
