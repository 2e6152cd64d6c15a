import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { splitAddress } from '../config/forms.ts'
import { unavailable } from '../kernel/refusal.ts'

/** @param addr host:port; an IPv6 host stands in brackets @throws Refusal that says what to do about the address */
export async function listenOn(app: FastifyInstance, addr: string): Promise<void> {
  await app.listen(placeOf(addr)).catch((error: unknown) => {
    throw cannotListen(addr, error as NodeJS.ErrnoException)
  })
}

/** For whoever works for long before it listens. @throws Refusal as `listenOn` does */
export async function assertFree(addr: string): Promise<void> {
  const server = createServer()
  try {
    await listening(server, addr)
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}

const listening = (server: Server, addr: string): Promise<void> =>
  new Promise((listens, fails) => {
    server.once('error', (error) => fails(cannotListen(addr, error)))
    server.listen(placeOf(addr), listens)
  })

function placeOf(addr: string): { host: string; port: number } {
  const { host, port } = splitAddress(addr)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

function cannotListen(addr: string, error: NodeJS.ErrnoException): Error {
  const why: Record<string, string> = {
    EADDRINUSE: 'the port is taken. Does Loam run already? Otherwise set addr or LOAM_ADDR',
    EADDRNOTAVAIL: 'this machine has no such address. Set addr or LOAM_ADDR',
    EACCES: 'the system does not let this user have that port. Set addr or LOAM_ADDR',
    ENOTFOUND: 'the host name is unknown. Set addr or LOAM_ADDR',
  }
  const { code = '' } = error
  return why[code] ? unavailable(`cannot listen on ${addr}: ${why[code]}`, error) : error
}
