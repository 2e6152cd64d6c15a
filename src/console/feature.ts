/** A screen of an optional feature: while that is off its pages say so, and programs are refused. */
import type { FastifyInstance } from 'fastify'
import { FEATURE_WORDS, findFeatures } from '../features/features.ts'
import { Refusal } from '../kernel/refusal.ts'
import { operatorCommand } from './first-run.ts'
import { html } from './html.ts'
import type { Screen } from './screen.ts'
import { shapeOf } from './shape.ts'

/** Answers for every route of the screen while its feature is off. */
export function guardFeature(app: FastifyInstance, { feature }: Screen): void {
  if (!feature) return
  app.addHook('onRequest', async (request, reply) => {
    const { [feature]: isOn } = await findFeatures(app.kernel)
    if (isOn) return
    const shape = shapeOf(request)
    if (shape === 'json' || !['GET', 'HEAD'].includes(request.method)) {
      throw new Refusal('disabled', `the "${feature}" feature is disabled`)
    }
    const command = await operatorCommand(app.kernel, `features on ${feature}`)
    const about = { command, ...FEATURE_WORDS[feature] }
    if (shape !== 'page') return html(reply, 'feature/peek', about)
    const frame = await app.frameOf(request, `${about.label} is switched off`, { page: [] })
    return html(reply, 'feature/page', { ...about, frame })
  })
}
