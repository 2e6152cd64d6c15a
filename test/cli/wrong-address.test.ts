import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openFolder } from '../helpers/folder.ts'
import { linesOf, loam } from '../helpers/in-process.ts'

const page: RequestListener = (_, answer) => {
  answer.setHeader('content-type', 'text/html')
  answer.end('<html>welcome</html>')
}

/** A service of somebody else at the address that a command was given. */
async function openOther(answers: RequestListener): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(answers)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const KEY = 'k'.repeat(64)

describe('a command whose address leads to something else', () => {
  test.each([['status'], ['sessions'], ['ready'], ['usage']])(
    'loam %s says so',
    async (command) => {
      await using folder = await openFolder()
      await using other = await openOther(page)
      const env = { LOAM_URL: other.url, LOAM_MCP_API_KEY: KEY }
      const { code, stdout, stderr } = await loam([command, '--quiet'], {
        folder: folder.path,
        env,
      })
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: `loam: ${other.url}: what answers there is not Loam; check the address\n`,
      })
    },
  )

  test('an answer that is JSON and no object is no health', async () => {
    await using folder = await openFolder()
    await using other = await openOther((_, answer) => void answer.end('null'))
    const env = { LOAM_URL: other.url, LOAM_MCP_API_KEY: KEY }
    const { stderr } = await loam(['status', '--quiet'], { folder: folder.path, env })
    expect(stderr).toBe(`loam: ${other.url}: what answers there is not Loam; check the address\n`)
  })

  test('doctor fails with that, gives the key to nobody, and looks at the rest', async () => {
    await using folder = await openFolder()
    const asked: (string | undefined)[] = []
    await using other = await openOther((request, answer) => {
      asked.push(request.headers.authorization)
      page(request, answer)
    })
    const env = { LOAM_URL: other.url, LOAM_MCP_API_KEY: KEY, CODEX_HOME: folder.path }
    const { code, stdout, stderr } = await loam(['doctor', '--quiet'], { folder: folder.path, env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(linesOf(stdout)).toContain(
      `fail  service   what answers at ${other.url} is not Loam; check the address`,
    )
    expect(stdout).toMatch(/^info {2}codex {5}not installed/m)
    expect(asked).toEqual([undefined])
  })
})
