import { invalid } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const key = defineCommand({
  name: 'key',
  summary: 'say where the key is; show it, or replace it: key rotate',
  for: 'operator',
  options: { '--show': 'print the key itself' },
  async run({ show }, call) {
    const [{ withKey }, { noKeyYet, placeOfKey }] = await Promise.all([
      import('../../config/key.ts'),
      import('./key/place.ts'),
    ])
    // A key that the environment sets needs no store.
    const isSet = call.env['LOAM_MCP_API_KEY'] !== undefined
    const settings = isSet ? await call.configured({ addr: undefined }) : await call.settings()
    if (!show) {
      call.say(await placeOfKey(settings))
      return
    }
    const key = (await withKey(settings))?.mcp.api_key
    if (key === undefined) throw invalid(noKeyYet(settings))
    if (key === '') throw invalid('mcp.api_key is empty: every request is refused')
    call.say(key)
  },
})
