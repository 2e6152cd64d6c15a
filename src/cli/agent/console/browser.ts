import { spawn } from 'node:child_process'
import { unavailable } from '../../../kernel/refusal.ts'
import type { Environment } from '../../../config.ts'

/** Opens an address with the system's own opener, which returns when it has handed the page to a browser. */
export async function openBrowser(address: string, env: Environment): Promise<void> {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  const child = spawn(command!, [...args, address], { detached: true, stdio: 'ignore', env })
  const failed = new Promise<Error>((resolve) => child.once('error', resolve))
  const started = new Promise<void>((resolve) => child.once('spawn', resolve))
  const error = await Promise.race([failed, started])
  if (error) throw unavailable(`${command} cannot be started; open the console by hand`, error)
  child.unref()
}
