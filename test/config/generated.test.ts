import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test.each(['clients', 'config', 'command-line', 'hooks', 'tools', 'catalogue', 'tables'])(
  'the file that src/dev/%s.ts writes is up to date',
  async (name) => {
    const running = promisify(execFile)(process.execPath, [`src/dev/${name}.ts`, '--check'])
    expect(await running).toMatchObject({ stderr: '' })
  },
)
