import { http, https } from '../../client/node.ts'
import { WRONG_KEY } from '../../client/plain-client.ts'

/** Until the service has taken the connection: one that is not there is known at once. */
const CONNECT_MS = 800

/** Posts JSON to the service and returns its answer. Throws with a reason that holds no key. */
export function post(
  url: URL,
  { key, body, patienceMs }: { key: string; body: string; patienceMs: number },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const send = url.protocol === 'https:' ? https().request : http().request
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const request = send(url, { method: 'POST', headers, agent: false }, (answer) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('error', reject)
    answer.on('end', () => {
      if (answer.statusCode === 200) resolve(Buffer.concat(parts).toString('utf8'))
      else
        reject(
          new Error(`${url.origin} answered ${answer.statusCode}${hintFor(answer.statusCode)}`),
        )
    })
  })
  const stop = (what: string) => () => request.destroy(new Error(`${url.origin} ${what}`))
  const connecting = setTimeout(stop('cannot be reached'), CONNECT_MS)
  const answering = setTimeout(stop(`gave no answer within ${patienceMs / 1000} s`), patienceMs)
  request.on('socket', (socket) => {
    socket.on('connect', () => clearTimeout(connecting))
  })
  request.on('close', () => {
    clearTimeout(connecting)
    clearTimeout(answering)
  })
  request.on('error', (error: NodeJS.ErrnoException) => {
    reject(error.code ? new Error(`${url.origin} cannot be reached (${error.code})`) : error)
  })
  request.end(body)
  return promise
}

const hintFor = (status: number | undefined): string => (status === 401 ? `: ${WRONG_KEY}` : '')
