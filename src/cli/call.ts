import type { Client } from '../config/client.ts'
import type { Place } from '../config/place.ts'
import type { Settings } from '../config.ts'
import type { Meant } from './client/tools.ts'
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
  { config, quiet }: { config?: string | undefined; quiet?: true | undefined },
): AgentCall & OperatorCall {
  const { env, cwd } = machine
  const stdout = command.protocol ? machine.stdout : harmless(machine.stdout)
  const stderr = harmless(machine.stderr)
  const complain = (line: string): void => void stderr.write(`${line}\n`)
  let isSaid = quiet === true || command.protocol === true
  const asked = (what: string): void => {
    if (!isSaid) complain(`asked: ${what}`)
    isSaid = true
  }
  const client = async (): Promise<Client> => {
    const [{ loadClient }, { clientHere }] = await Promise.all([
      import('../config/client.ts'),
      import('./client/here.ts'),
    ])
    const named = await loadClient({ env, cwd, file: config })
    const found =
      (named.by === undefined && command.asksHere && (await clientHere({ env, cwd }))) || named
    asked(`${found.url} (${found.by ?? 'the usual address'})`)
    return found
  }
  const place = async (): Promise<Place> => {
    const [{ findPlace }, { describe }] = await Promise.all([
      import('../config/place.ts'),
      import('./operator/store/standing.ts'),
    ])
    const found = await findPlace({ env, cwd }, config)
    if (found.kind !== 'nothing') asked(await describe(found, cwd))
    return found
  }
  const settings = async (): Promise<Settings> => {
    const { settingsOf } = await import('./operator/store/standing.ts')
    const found = await settingsOf(await place(), command, { env, cwd })
    asked(`the store ${found.config.data_dir} (new)`)
    return found
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
    complain,
    config,
    client,
    async tool(name, input) {
      const [{ callTool }, { identityHeaders }, { meantLine, withWay }] = await Promise.all([
        import('./client/tools.ts'),
        import('./client/identity-headers.ts'),
        import('./client/meant.ts'),
      ])
      const found = await client()
      const headers = await identityHeaders({ cwd, env })
      const tell = (meant: Meant): void => {
        if (!quiet) complain(meantLine(meant))
      }
      return callTool(found, name, input, { headers, tell }).catch((error: unknown) => {
        throw withWay(error)
      })
    },
    async console(path, method = 'GET') {
      const { askConsole } = await import('./client/console.ts')
      return askConsole(await client(), path, method)
    },
    async configured({ addr }) {
      const { loadConfig } = await import('../config.ts')
      return loadConfig({ env, cwd, file: config, addr })
    },
    place,
    settings,
    async operate(input) {
      const { operate } = await import('./operator/store/operate.ts')
      return operate(command, input, await settings(), stderr)
    },
    operationOf,
  }
}
