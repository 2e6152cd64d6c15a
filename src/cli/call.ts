import type { Client } from '../config/client.ts'
import type { Settings } from '../config.ts'
import type { AgentCall, Command, OperatorCall } from './command.ts'
import { operationOf } from './commands.ts'
import { harmless, type Machine } from './machine.ts'

/**
 * What one run of a command can reach. --config is read here and nowhere else: for an agent's command
 * it names a client file, for an operator's one the configuration of the service.
 */
export function callOf(
  command: Command,
  machine: Machine,
  config: string | undefined,
): AgentCall & OperatorCall {
  const { env, cwd } = machine
  const stdout = command.protocol ? machine.stdout : harmless(machine.stdout)
  const stderr = harmless(machine.stderr)
  const client = async (): Promise<Client> => {
    const { loadClient } = await import('../config/client.ts')
    return loadClient({ env, cwd, file: config })
  }
  const settings = async ({ addr }: { addr?: string | undefined } = {}): Promise<Settings> => {
    const { loadConfig } = await import('../config.ts')
    return loadConfig({ env, cwd, file: config, addr })
  }
  return {
    env,
    cwd,
    get stdin() {
      return machine.stdin
    },
    stdout,
    stderr,
    say: (line) => void stdout.write(`${line}\n`),
    complain: (line) => void stderr.write(`${line}\n`),
    config,
    client,
    async tool(name, input) {
      const { callTool } = await import('./client/tools.ts')
      return callTool(await client(), name, input)
    },
    async console(path, method = 'GET') {
      const { askConsole } = await import('./client/console.ts')
      return askConsole(await client(), path, method)
    },
    settings,
    async operate(input) {
      const { operate } = await import('./operator/store/operate.ts')
      return operate(command, input, await settings(), stderr)
    },
    operationOf,
  }
}
