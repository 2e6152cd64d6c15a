import type { FastifyReply } from 'fastify'

/** Renders a view whole before anything is sent: a template that fails is a 500, not half a page. */
export async function html(reply: FastifyReply, view: string, data: object): Promise<FastifyReply> {
  const text = (await reply.viewAsync(view, data)) as string
  return reply.type('text/html; charset=utf-8').send(text)
}
