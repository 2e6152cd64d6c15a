/** The product with a meter inside: what each call took of its event loop and of its memory. */
import { request } from 'node:http'
import { join } from 'node:path'
import { openFolder } from '../../helpers/folder.ts'
import { startProduct, type Product } from '../product.ts'

const PRELOAD = new URL('./preload.ts', import.meta.url)

/** What was measured since the last reading. */
export interface Reading {
  /** The longest time that the event loop was held, by the clock. */
  heldMs: number
  /** The same in time of the processor. */
  busyMs: number
  /** The most heap and external memory that was seen. */
  peakMib: number
}

export interface Metered extends AsyncDisposable {
  product: Product
  /** Begins a new reading. `memoryMib` is measured last: after a collection when `collected`. */
  read(how?: { collected: boolean }): Promise<Reading & { memoryMib: number }>
}

export async function startMetered(env: Record<string, string> = {}): Promise<Metered> {
  const folder = await openFolder()
  const socket = join(folder.path, 'meter')
  const options = { NODE_OPTIONS: `--import ${PRELOAD.href}`, TEST_METER: socket }
  const product = await startProduct({ ...options, LOAM_FEATURES_RESEARCH: 'true', ...env })
  return {
    product,
    read: ({ collected } = { collected: false }) => ask(socket, collected ? '/collected' : '/'),
    async [Symbol.asyncDispose]() {
      await product[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function ask(socketPath: string, path: string): Promise<Reading & { memoryMib: number }> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, path }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(JSON.parse(text) as Reading & { memoryMib: number }))
    })
    asking.on('error', reject)
    asking.end()
  })
}
