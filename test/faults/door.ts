/** A door before a PostgreSQL: shut, the server is away for whoever comes through it, and for nobody else. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Door extends AsyncDisposable {
  /** The address of the database, through the door. */
  url: string
  shut(): void
  open(): void
}

export async function openDoor(database: string): Promise<Door> {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    if (!isOpen) return void near.destroy()
    const far = connect({ host: hostname, port: Number(port) })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(database)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    shut() {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    open: () => void (isOpen = true),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
