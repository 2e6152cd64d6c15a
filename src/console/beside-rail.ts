/** A library opens on an item that nobody chose, beside its rail. */
import type { FastifyRequest } from 'fastify'
import { once } from '../kernel/once.ts'
import { shapeOf } from './shape.ts'

/** The rail, and what opens the item: only a whole page shows one, which is then read while the rail is. */
export async function besideRail<Rail, Open>(
  request: FastifyRequest,
  rail: Promise<Rail>,
  open: () => Promise<Open>,
): Promise<{ rail: Rail; opened: () => Promise<Open> }> {
  const opened = once(open)
  const [shown] = await Promise.all([rail, shapeOf(request) === 'page' ? opened() : undefined])
  return { rail: shown, opened }
}
