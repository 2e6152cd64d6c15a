/** Serves a declared write: reads its form, calls it, and says what came of it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/refusal.ts'
import { nextOf } from './auth/next.ts'
import { toWire } from './page.ts'
import type { Write } from './screen.ts'
import { shapeOf } from './shape.ts'
import { typedIn } from './typed.ts'

export function serveWrite(app: FastifyInstance, write: Write): void {
  const schema = { body: write.form }
  app.post(write.path, { schema, attachValidation: true }, (request, reply) =>
    carryOut(app, write, request, reply),
  )
}

async function carryOut(
  { kernel, links }: FastifyInstance,
  { run, form, next, leads, again, notice, flashes }: Write,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const params = request.params as Record<string, string>
  const wantsJson = shapeOf(request) === 'json'
  const back = nextOf(request.body, typeof next === 'string' ? next : next(params, links))
  try {
    if (request.validationError) throw request.validationError
    const done = await run(kernel, { ...(request.body as object), ...params })
    if (wantsJson) return reply.send({ ok: true, ...(toWire(done) as object) })
    const said = typeof notice === 'string' ? notice : notice(done)
    return leadBack(reply, leads?.(done) ?? back, { notice: said })
  } catch (error) {
    const isFlash = error instanceof Refusal && flashes.includes(error.kind)
    if (!isFlash || wantsJson) throw error
    const to = again ? again(params) : back
    return leadBack(reply, to, { error: error.message, ...typedIn(form, request.body) })
  }
}

/** Ends a POST with a 303, so that a reload repeats nothing. */
function leadBack(
  reply: FastifyReply,
  to: string,
  flash: Readonly<Record<string, string>>,
): FastifyReply {
  const [path = '', hash = ''] = to.split('#', 2)
  const query = new URLSearchParams(flash)
  const joint = path.includes('?') ? '&' : '?'
  return reply.redirect(`${path}${joint}${query.toString()}${hash && `#${hash}`}`, 303)
}
