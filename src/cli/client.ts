import { loadClient } from '../config/client.ts'
import { bridge } from './bridge.ts'

/** Bridges this process's standard streams. Nothing but frames is ever printed on standard output. */
export async function runBridge({ config: file }: { config?: string }): Promise<void> {
  const client = await loadClient({ file })
  await client.key()
  await bridge({
    client,
    input: process.stdin,
    output: (line) => void process.stdout.write(`${line}\n`),
  })
}
