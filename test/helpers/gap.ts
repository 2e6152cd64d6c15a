/** A service that can be taken away and given back at the same address: a relay that is cut. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Gap extends AsyncDisposable {
  url: string
  /** How many connections there are at the moment. */
  readonly connections: number
  /** Bytes that the service has sent through it so far. */
  readonly received: number
  /** Nobody answers at the address any more. */
  cut(): Promise<void>
  /** From now on it leads there. */
  mend(to?: string): Promise<void>
}

export async function openGap(to: string): Promise<Gap> {
  let target = new URL(to)
  const open = new Set<Socket>()
  let received = 0
  const relay = (near: Socket): void => {
    const far = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    far.on('data', ({ length }) => (received += length))
    near.pipe(far).pipe(near)
    open.add(near)
    near.on('close', () => open.delete(near))
  }
  let server = createServer(relay)
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
    for (const socket of open) socket.destroy()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return open.size
    },
    get received() {
      return received
    },
    cut,
    async mend(to) {
      if (to !== undefined) target = new URL(to)
      server = createServer(relay)
      await listen(port)
    },
    [Symbol.asyncDispose]: cut,
  }
}
