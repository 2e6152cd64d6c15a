/** A proposal as rail, sheet and programs have it. */
import {
  sectionOf,
  type Card,
  type Decided,
  type ProposalKind,
  type Section,
} from '../../gardener/gardener.ts'
import { wireProject } from '../../projects/projects.ts'
import type { ScreenApp } from '../screen.ts'
import { effectShown, projectOf, staleOf, titleOf } from './effect.ts'
import { countTold, readBodies } from './queries.ts'

/** What a section of the queue is called. */
export const SECTION_LABELS: Record<Section, string> = {
  split: 'Splits',
  errors: 'Errors and gaps',
  cleanup: 'Memory clean-up',
  plans: 'Plans to settle',
  digests: 'Digests',
}

/** What a kind is called, with its glyph. */
const KINDS: Record<ProposalKind, { label: string; tone: string }> = {
  merge: { label: 'Merge', tone: 'written' },
  archive: { label: 'Archive', tone: 'quiet' },
  digest: { label: 'Digest', tone: 'written' },
  consolidate: { label: 'Consolidate', tone: 'written' },
  split: { label: 'Split', tone: 'moved' },
  abandon_plan: { label: 'Abandon plan', tone: 'quiet' },
  reproject: { label: 'Move', tone: 'moved' },
  rekind: { label: 'Change kind', tone: 'written' },
  memory_wanted: { label: 'Memory wanted', tone: 'attention' },
  tool_error: { label: 'Recurring error', tone: 'danger' },
}

/** What somebody asked, as much as a card quotes of it, in characters. */
const QUOTED = 260

/** The part of a card that every list shows. */
export function briefOf({ proposal, ...card }: Card) {
  const { id, kind, plan, created_at, payload } = proposal
  const { source, request_text = '' } = payload as { source?: string; request_text?: string }
  const { label, tone } = KINDS[kind]
  return {
    ...{ id, kind, label, icon: tone, tone, title: titleOf(proposal) },
    eyebrow: SECTION_LABELS[plan === '' ? sectionOf(kind) : 'split'],
    project: wireOf(projectOf(proposal)),
    ...(source && { source }),
    ...(request_text && { request_text: [...request_text].slice(0, QUOTED).join('') }),
    ...(plan && { plan }),
    created_at,
    final: card.final,
    stale: staleOf({ proposal, ...card }) ?? null,
  }
}
export type Brief = ReturnType<typeof briefOf>

const wireOf = (project: string | null) => (project === null ? null : wireProject(project))

/** A proposal in full. */
export type Shown = Awaited<ReturnType<typeof cardsOf>>[number]

/** Cards with their exact effects. */
export async function cardsOf({ kernel: { db }, owner }: ScreenApp, cards: readonly Card[]) {
  const compared = cards.filter(({ proposal: { kind } }) => COMPARED.includes(kind))
  const ids = compared.flatMap(({ proposal }) => proposal.items)
  const bodies = await readBodies(db, owner, [...new Set(ids)])
  return cards.map((card) => ({ ...briefOf(card), ...effectShown(card, bodies) }))
}

/** Texts that are set beside each other are for people: programs compare them themselves. */
export function forPrograms<C extends object>(card: C) {
  const {
    diff: _,
    sources,
    ...rest
  } = card as C & {
    diff?: unknown
    sources?: { id: string; name: string; project: string }[]
  }
  const plain = sources?.map(({ id, name, project }) => ({ id, name, project }))
  return { ...rest, ...(plain && { sources: plain }) }
}

/** Kinds of which the texts are set beside each other. */
const COMPARED: readonly ProposalKind[] = ['merge', 'consolidate']

/** Those that agents would be told of no more. */
function leavingOf({ proposal }: Card): string[] {
  switch (proposal.kind) {
    case 'merge':
      return [proposal.payload.drop.id]
    case 'archive':
      return [proposal.payload.id]
    case 'consolidate':
      return proposal.payload.sources.map(({ id }) => id)
    default:
      return []
  }
}

/** What would be missed: memories that go, and how many sessions were told of one within a week. */
export async function impactOf({ kernel: { db }, owner }: ScreenApp, card: Card) {
  const leaving = leavingOf(card)
  if (leaving.length === 0) return null
  return { memories: leaving.length, sessions: await countTold(db, owner, leaving) }
}

/** What was decided, with what became of it and why it cannot be taken back. */
export const decidedOf = ({ undo, ...card }: Decided) => ({
  ...briefOf(card),
  status: card.proposal.status,
  resolved_at: card.proposal.resolved_at,
  undo,
})
