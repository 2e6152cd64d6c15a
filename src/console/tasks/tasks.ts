import { nextOf, shapeOf, type ConsoleRoutes } from '../page.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { forceRelease } from '../../tasks/tasks.ts'

/** The owner's hand on a claim. */
export const tasksConsole: ConsoleRoutes = async (app) => {
  app.post<{ Params: { id: string } }>('/tasks/:id/release', async (request, reply) => {
    const next = nextOf(request, '/console/sessions')
    const { id } = request.params
    try {
      const { title, status, project } = await forceRelease(app.kernel, id)
      if (shapeOf(request) === 'json') return reply.send({ ok: true, id, title, status, project })
      return reply.back(next, { notice: 'Claim released.' })
    } catch (error) {
      const told = error instanceof Refusal && error.kind === 'conflict'
      if (!told || shapeOf(request) === 'json') throw error
      return reply.back(next, { error: error.message })
    }
  })
}
