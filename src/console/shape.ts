/** The shape of an answer: page, fragment, parts of the page or JSON. */
import type { FastifyRequest } from 'fastify'

export const SHAPES = ['json', 'peek', 'reader', 'parts', 'page'] as const
export type Shape = (typeof SHAPES)[number]

/** The parameters that every page takes beside its own. */
export const SHAPE_PARAMETERS = ['format', 'peek', 'reader', 'parts', 'notice', 'error'] as const

/** JSON wins over peek, peek over reader, reader over parts, parts over the page. */
export function shapeOf({ query: given, headers }: FastifyRequest): Shape {
  const query = given as Record<string, unknown>
  const { accept = '' } = headers
  const wantsJson = accept.includes('application/json') && !accept.includes('text/html')
  if (query['format'] === 'json' || wantsJson) return 'json'
  if (query['peek'] === '1') return 'peek'
  if (query['reader'] === '1') return 'reader'
  return query['parts'] === undefined ? 'page' : 'parts'
}
