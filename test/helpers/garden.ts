/** The gardener at work in a house. */
import { runGardener } from '../../src/gardener/gardener.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { House } from './build-house.ts'

/** Runs every pass, or the one of this name, once what was recorded before is written. Answers by pass. */
export async function garden(
  { app: { kernel } }: House,
  pass?: string,
): Promise<
  Record<string, { proposed: number; held_back: number; left?: number; failed?: string }>
> {
  await kernel.telemetry.flush()
  const { passes } = await runGardener(kernel, ownerScope(), { only: pass })
  return Object.fromEntries(
    passes.map(({ pass, proposed, held_back, left, failed }) => [
      pass,
      { proposed, held_back, ...(left && { left }), ...(failed && { failed }) },
    ]),
  )
}
