import type { FastifyPluginAsync } from 'fastify'
import { isKey } from '../../http/auth.ts'
import { httpError } from '../../http/errors.ts'
import type { WrongKeys } from '../../http/wrong-keys.ts'
import type { Assets } from '../assets.ts'
import { program } from '../first-run.ts'
import { flash } from '../frame.ts'
import { html } from '../html.ts'
import { cookieOptions, cookieValue, doorOf, hasCookie } from './gate.ts'
import { safeNext } from './next.ts'

interface Form {
  key?: unknown
  next?: unknown
}

/** Signing in and out. Only the page and its form are public. */
export const loginConsole: FastifyPluginAsync<{ wrongKeys: WrongKeys; assets: Assets }> = async (
  app,
  { wrongKeys, assets },
) => {
  const { config } = app.kernel
  const door = doorOf(app.kernel)
  const { key } = door

  app.get('/login', { config: { open: true } }, async (request, reply) => {
    const { next, error } = request.query as Record<string, unknown>
    const target = safeNext(next)
    if (hasCookie(door, request)) return reply.redirect(target, 303)
    const data = {
      ...{ next: target, error: flash(error), assets: assets.urls, key_set: key !== '' },
      ...{ opener: program('console'), shower: program('key --show') },
    }
    return html(reply, 'login/page', data)
  })

  /** The one-shot page of `loam console` posts here from a file, which has no origin. */
  app.post('/login', { config: { open: true, anyOrigin: true } }, async (request, reply) => {
    const { key: sent, next } = (request.body ?? {}) as Form
    const target = safeNext(next)
    if (typeof sent === 'string' && isKey(key, sent.trim())) {
      return reply
        .setCookie(door.cookie, cookieValue(key), cookieOptions(config))
        .redirect(target, 303)
    }
    const wait = wrongKeys.count(request.ip)
    if (wait > 0) {
      throw httpError(429, `too many wrong keys; try again in ${wait} s`, {
        'Retry-After': String(wait),
      })
    }
    const query = new URLSearchParams({ error: 'That is not the key.', next: target })
    return reply.redirect(`/console/login?${query.toString()}`, 303)
  })

  app.post('/logout', (_request, reply) => {
    const { maxAge: _, ...options } = cookieOptions(config)
    return reply.clearCookie(door.cookie, options).redirect('/console/login', 303)
  })
}
