/** What the gardener proposes as the story ends: what it found, what was asked for, and what was decided of it. */
import { NOBODY } from '../../../kernel/kernel.ts'
import {
  dismissProposal,
  hideProposal,
  planSplit,
  requestCleanUps,
  runGardener,
  type Operation,
} from '../../../gardener/gardener.ts'
import { ownerScope, scopeAt } from '../../../projects/projects.ts'
import type { DemoHouse } from '../house.ts'
import { MINUTE } from '../timeline.ts'
import { tell, type Chapter } from './chapter.ts'

interface Wish {
  request: string
  project: string
  operations: Operation[]
  decided?: 'dismissed' | 'hidden'
}

interface Garden {
  wishes: Wish[]
  split: {
    source: string
    instruction: string
    children: { slug: string; label: string }[]
    shared: { slug: string; label: string }
  }
}

export function tendGarden({ world, timeline, now }: Chapter): void {
  const { wishes, split } = tell<Garden>('garden')
  const at = (before: number, run: () => Promise<unknown>) =>
    timeline.add(now - before * MINUTE, async () => void (await run()))
  at(95, () => look(world))
  for (const [nth, wish] of wishes.entries()) at(80 - 4 * nth, () => ask(world, wish))
  at(35, async () => {
    const { kernel } = world.house
    await planSplit(kernel, NOBODY, await scopeAt(kernel.db, ''), split)
  })
}

async function look({ house: { kernel } }: DemoHouse): Promise<void> {
  await kernel.telemetry.flush()
  await runGardener(kernel, ownerScope())
}

async function ask(
  { house: { kernel } }: DemoHouse,
  { request, project, operations, decided }: Wish,
): Promise<void> {
  const scope = await scopeAt(kernel.db, project)
  const asked = { request, operations }
  const { created } = await requestCleanUps(kernel, NOBODY, { scope, all: false }, asked)
  for (const id of created) {
    if (decided === 'dismissed') await dismissProposal(kernel, NOBODY, id)
    if (decided === 'hidden') await hideProposal(kernel, NOBODY, id)
  }
}
