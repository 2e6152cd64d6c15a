import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { harmless } from '../../src/cli/machine.ts'
import { openLog } from '../../src/cli/operator/store/log.ts'
import { openFolder } from '../helpers/folder.ts'

function outputs(isTTY: boolean) {
  let text = ''
  const stderr = harmless({ ...(isTTY && { isTTY }), write: (part) => void (text += part) })
  return { machine: { stderr }, lines: () => text.trimEnd().split('\n') }
}

describe('the log', () => {
  test('is plain on a terminal: the time, the level, the words, and what belongs to them', () => {
    const { machine, lines } = outputs(true)
    const log = openLog('info', machine, { form: 'plain' })
    log.info({ seen: 3, path: 'a b' }, 'the rows are in line with the files')
    log.warn({ err: new Error('the disk is full') }, 'a check was put off')
    log.debug('nobody reads this')
    openLog('info', machine).info('nor this, unless all is asked for')
    expect(lines()).toEqual([
      expect.stringMatching(
        /^\d\d:\d\d:\d\d info {2}the rows are in line with the files \(seen=3, path=a b\)$/,
      ),
      expect.stringMatching(/^\d\d:\d\d:\d\d warn {2}a check was put off: the disk is full$/),
    ])
  })

  test('shows where an error comes from, and lets no text steer the terminal', () => {
    const { machine, lines } = outputs(true)
    openLog('info', machine).error({ err: new Error('torn \u001b[2J') }, 'a tool failed')
    expect(lines()[0]).toMatch(/ error a tool failed: Error: torn \\u001b\[2J$/)
    expect(lines()[1]).toMatch(/^ {4,}at .*log\.test\.ts/)
  })

  test('is a line of JSON for everything else, in a file too, unless another form is asked for', async () => {
    const other = outputs(false)
    openLog('info', other.machine).info({ seen: 3 }, 'read')
    expect(JSON.parse(other.lines()[0]!)).toMatchObject({ level: 30, seen: 3, msg: 'read' })
    const asked = outputs(false)
    openLog('info', asked.machine, { form: 'plain' }).info('read')
    expect(asked.lines()[0]).toMatch(/^\d\d:\d\d:\d\d info {2}read$/)
    const person = outputs(true)
    openLog('info', person.machine, { form: 'json' }).info('read')
    expect(JSON.parse(person.lines()[0]!)).toMatchObject({ msg: 'read' })

    await using folder = await openFolder()
    for (const form of ['json', 'plain'] as const) {
      const file = join(folder.path, 'logs', form)
      openLog('info', person.machine, { file, form }).info('kept')
      const text = await readFile(file, 'utf8')
      expect(text).toMatch(form === 'json' ? /^\{.*"msg":"kept"\}\n$/ : / info {2}kept\n$/)
    }
  })
})
