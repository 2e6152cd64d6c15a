/** A rotated key reaches every client that was installed, since none of them holds it. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY, openHome } from '../../helpers/home.ts'
import { openHookService } from '../../helpers/hooks.ts'
import { runOn } from '../../helpers/in-process.ts'

test.each([
  ['claude', '.claude/settings.json', 'UserPromptSubmit'],
  ['codex', '.codex/hooks.json', 'UserPromptSubmit'],
  ['gemini', '.gemini/settings.json', 'BeforeAgent'],
  ['qwen', '.qwen/settings.json', 'UserPromptSubmit'],
])('%s asks with the new key', async (client, path, event) => {
  await using service = await openHookService()
  await using home = await openHome(service.url)
  await home.run('install-hooks', '--client', client, '--no-skills')
  const [handler] = (await home.read(path)).hooks[event][0].hooks
  const words: string[] = handler.args ?? handler.command.replaceAll("'", '').split(' ').slice(1)
  const hook = () =>
    runOn(words.slice(1), {
      cwd: home.folder,
      env: { HOME: home.folder },
      stdin: JSON.stringify({ session_id: 's', prompt: 'p', cwd: home.folder }),
    })
  await hook()
  await writeFile(join(home.folder, 'key'), 'a-new-key')
  await hook()
  const keys = service.posted.map(({ headers }) => headers.authorization)
  expect(keys).toEqual([`Bearer ${KEY}`, 'Bearer a-new-key'])
})

test('what is installed runs with nothing on the PATH', async () => {
  await using service = await openHookService()
  await using home = await openHome(service.url)
  await home.run('install-hooks', '--client', 'both', '--no-skills')
  const env = { HOME: home.folder, PATH: '' }
  const run = (program: string, args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = execFile(program, args, { env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
      child.stdin?.end(JSON.stringify({ session_id: 's', prompt: 'p', cwd: home.folder }))
    })
  const [claude] = (await home.read('.claude/settings.json')).hooks.UserPromptSubmit[0].hooks
  await run(claude.command, claude.args)
  const [codex] = (await home.read('.codex/hooks.json')).hooks.UserPromptSubmit[0].hooks
  await run('/bin/sh', ['-c', codex.command])
  expect(service.posted.map(({ path }) => path)).toEqual([
    '/api/hooks/user-prompt-submit?client=claude-code',
    '/api/hooks/user-prompt-submit?client=codex',
  ])
  const { headersHelper } = (await home.read('.claude.json')).mcpServers.loam
  expect(JSON.parse(await run('/bin/sh', ['-c', headersHelper]))).toMatchObject({
    Authorization: `Bearer ${KEY}`,
  })
})

test('a server holds no key any more where somebody wrote one into it by hand', async () => {
  await using home = await openHome()
  const byHand = (Authorization: string) => ({
    mcpServers: {
      loam: { type: 'http', url: 'http://127.0.0.1:9/api/mcp', headers: { Authorization } },
    },
  })
  await home.write('.claude/settings.json', '{}')
  await home.write('.claude.json', JSON.stringify(byHand(`Bearer ${KEY}`), null, 2))
  expect((await home.run('doctor')).stdout).toContain('.claude.json holds a key in plain text')
  expect((await home.run('install-hooks', '--client', 'claude', '--no-skills')).stdout).toContain(
    'mcp: updated',
  )
  expect(await home.text('.claude.json')).not.toContain(KEY)
  expect((await home.run('doctor')).stdout).not.toContain('in plain text')
  // A variable is no key.
  await home.write('.claude.json', JSON.stringify(byHand('Bearer ${LOAM_MCP_API_KEY}'), null, 2))
  await home.run('install-hooks', '--client', 'claude', '--no-skills')
  expect(await home.text('.claude.json')).toContain('LOAM_MCP_API_KEY')
})
