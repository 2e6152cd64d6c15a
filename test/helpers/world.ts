/**
 * A world beyond this machine: names with public addresses, behind which stand small servers of the
 * test. What judges addresses is the product's own; only the last step is led to loopback.
 */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Server } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openNetwork, type Network } from '../../src/kernel/network.ts'
import { makeCertificate } from './certificate.ts'

export interface World extends AsyncDisposable {
  network: Network
  /** What a name resolves to; one list for each look-up in turn, the last one for good. */
  names: Map<string, string[][]>
  /** Addresses that refuse every connection. */
  unreachable: Set<string>
  /** Every connection that was opened, as `address:port`. */
  dialled: string[]
  /** Every name that was looked up. */
  asked: string[]
  /** Every request that arrived, as `host/path`. */
  requests: string[]
  /** The host answers so, over http and https, at an address of its own. */
  host(name: string, answer: RequestListener): string
  /** A page at `http://<name><path>`, whatever the path. */
  page(name: string, html: string, type?: string): string
}

export async function openWorld(): Promise<World> {
  const hosts = new Map<string, RequestListener>()
  const names: World['names'] = new Map()
  const unreachable = new Set<string>()
  const dialled: string[] = []
  const asked: string[] = []
  const requests: string[] = []
  const answer: RequestListener = (request, response) => {
    const name = (request.headers.host ?? '').replace(/:\d+$/, '')
    requests.push(`${name}${request.url}`)
    const known = hosts.get(name)
    if (known) known(request, response)
    else response.writeHead(404).end()
  }
  const certificate = makeCertificate(['secure.example', 'other.example'])
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, certificate.cert])
  const plain = await listen(createServer(answer))
  const secure = await listen(createSecureServer(certificate, answer))

  const network = openNetwork({
    async resolve(name) {
      asked.push(name)
      const answers = names.get(name.replace(/\.$/, '')) ?? []
      const [next] = answers.length > 1 ? answers.splice(0, 1) : answers
      if (!next) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return next
    },
    connect(address, port) {
      dialled.push(`${address}:${port}`)
      // Nothing listens on port 1 of loopback.
      const at = unreachable.has(address) ? 1 : portOf(port === 443 ? secure : plain)
      return connect(at, '127.0.0.1')
    },
  })

  const world: World = {
    network,
    names,
    unreachable,
    dialled,
    asked,
    requests,
    host(name, listener) {
      hosts.set(name, listener)
      names.set(name, [[`93.184.216.${hosts.size}`]])
      return `http://${name}`
    },
    page(name, html, type = 'text/html; charset=utf-8') {
      return world.host(name, (_, response) => {
        response.writeHead(200, { 'content-type': type }).end(html)
      })
    },
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(trusted)
      for (const server of [plain, secure]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
  return world
}

async function listen<T extends Server>(server: T): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
