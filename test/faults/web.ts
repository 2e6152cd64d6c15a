/** A web for the service under fault: a process of its own reaches the pages of this one as if they were public. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const PRELOAD = new URL('./web-preload.ts', import.meta.url)

export interface Web extends AsyncDisposable {
  /** For a process that shall see this web. */
  env: Record<string, string>
  /** Answers every request from now on. */
  answer: RequestListener
}

/** The page at `http://page.example/<name>`: its title and its text are its name. */
export const plainPage: RequestListener = ({ url = '' }, response) => {
  const name = url.slice(1)
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(`<title>${name}</title><p>${name}</p>`)
}

/** What a capture makes of it. */
export const captured = (name: string): { url: string; title: string; body: string } => {
  const url = `http://page.example/${name}`
  return { url, title: name, body: `Source: ${url}\n\n---\n\n${name}` }
}

export async function openWeb(): Promise<Web> {
  const server = createServer((request, response) => web.answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const web: Web = {
    env: { NODE_OPTIONS: `--import ${PRELOAD.href}`, TEST_WEB_PORT: String(port) },
    answer: plainPage,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return web
}
