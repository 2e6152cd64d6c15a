import { invalid } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const keyRotate = defineCommand({
  name: 'key rotate',
  summary: 'replace the generated key; a restart of the service takes it up',
  for: 'operator',
  async run(_, call) {
    const [{ rotateKey }, { keyFile, readKey }, { noKeyYet }] = await Promise.all([
      import('../../config/key.ts'),
      import('../../config/key-file.ts'),
      import('./key/place.ts'),
    ])
    // A key that the environment sets needs no store.
    const isSet = call.env['LOAM_MCP_API_KEY'] !== undefined
    const settings = isSet ? await call.configured({ addr: undefined }) : await call.settings()
    if (settings.keyFrom) throw invalid(`the key is set by ${settings.keyFrom}: change it there`)
    const path = keyFile(settings.config)
    if ((await readKey(path)) === undefined) throw invalid(noKeyYet(settings))
    await rotateKey(path)
    call.say(`${path} holds a new key. Restart the service, then the agents that hold the old one.`)
  },
})
