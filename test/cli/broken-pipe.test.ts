import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { PROGRAM } from '../helpers/service.ts'

/** Runs a command whose reader has gone away before it prints anything. */
async function unread(args: readonly string[], home: string, closed: readonly number[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: home,
    env: { PATH: '', HOME: home, LOAM_URL: 'http://127.0.0.1:9', LOAM_MCP_API_KEY: 'k' },
  })
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  if (closed.includes(1)) child.stdout.destroy()
  if (closed.includes(2)) child.stderr.destroy()
  child.stdin.end('')
  const code = await new Promise((resolve) => child.on('exit', resolve))
  return { code, stderr }
}

test.each([
  [['--help'], 0],
  [['version'], 0],
  [['hook', 'session-start'], 0],
  [['mcp-headers'], 0],
])('%j ends as always when nobody reads what it prints', async (args, code) => {
  await using folder = await openFolder()
  expect(await unread(args, folder.path, [1])).toEqual({ code, stderr: '' })
})

test('a failure stays a failure when nobody reads why', async () => {
  await using folder = await openFolder()
  const { code } = await unread(['recall', 'x'], folder.path, [1, 2])
  expect(code).toBe(1)
})

test('a shell sees no crash', async () => {
  await using folder = await openFolder()
  const line = `"$NODE" "$PROGRAM" --help | head -0; echo "\${PIPESTATUS[0]}"`
  const child = spawn('bash', ['-c', line], {
    env: { PATH: process.env['PATH'], HOME: folder.path, NODE: process.execPath, PROGRAM },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  await new Promise((resolve) => child.on('close', resolve))
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' })
})
