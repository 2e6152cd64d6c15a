import { join } from 'node:path'
import { environment, runOnce, type Place } from '../client.ts'

/** Calls one tool by the inspector, which has no agent, and answers with what it printed. */
export async function inspect(
  place: Place,
  { url, key }: { url: string; key: string },
  tool: string,
  input: Record<string, string | boolean>,
): Promise<string> {
  const program = join(
    place.modules,
    '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  )
  const values = Object.entries(input).flatMap(([name, value]) => [
    '--tool-arg',
    `${name}=${value}`,
  ])
  const { stdout } = await runOnce(
    [
      ...[process.execPath, program, '--cli', `${url}/api/mcp`, '--transport', 'http'],
      ...['--header', `Authorization: Bearer ${key}`],
      ...['--method', 'tools/call', '--tool-name', tool, ...values],
    ],
    { cwd: place.home, env: environment(place) },
  )
  return stdout
}
