/** The product under attack: a process of its own with a key that is known here. */
import { readFile } from 'node:fs/promises'
import { openFolder } from '../helpers/folder.ts'
import { startService, type Service } from '../helpers/service.ts'

export const KEY = 'attacked-key-0123456789abcdef'

export interface Product extends AsyncDisposable {
  url: string
  key: string
  folder: string
  service: Service
  /** SIGKILL, then a new process at the same address on the same store. */
  killAndRestart(between?: () => Promise<void>): Promise<void>
  /** Resident memory of the process, in MiB. */
  memory(): Promise<number>
}

export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  const folder = await openFolder()
  const start = (more: Record<string, string> = {}): Promise<Service> =>
    startService({ folder: folder.path, env: { LOAM_MCP_API_KEY: KEY, ...env, ...more } })
  const service = await start()
  const product: Product = {
    url: service.url,
    key: env['LOAM_MCP_API_KEY'] ?? KEY,
    folder: folder.path,
    service,
    async killAndRestart(between) {
      await product.service.stop('SIGKILL')
      await between?.()
      product.service = await start({ LOAM_ADDR: new URL(product.url).host })
    },
    async memory() {
      const status = await readFile(`/proc/${product.service.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    },
    async [Symbol.asyncDispose]() {
      await product.service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
  return product
}
