/** What the gardener proposes: a queue with its reader, what was decided, and what is asked for. */
import Type, { type Static } from 'typebox'
import {
  readCard,
  readDecided,
  readHidden,
  readQueue,
  readRuns,
  SECTIONS,
  type Card,
  type Section,
} from '../../gardener/gardener.ts'
import { narrowingOf } from '../narrowing.ts'
import { ById, Choice, linkQuery, PageNumber, Text } from '../parameters.ts'
import { defineScreen, type ScreenApp } from '../screen.ts'
import { batchesOf } from './batches.ts'
import { briefOf, cardsOf, decidedOf, forPrograms, impactOf, SECTION_LABELS } from './card.ts'
import { countOfPlans, countWaiting, projectChoices } from './queries.ts'
import {
  applyBatch,
  applyOne,
  askFor,
  askToSplit,
  dismissOne,
  hideOne,
  retargetOne,
  unhideOne,
} from './writes.ts'

const GROUPS = ['all', 'split', 'errors', 'cleanup', 'plans', 'digests'] as const
const ORIGINS = { you: 'request', auto: 'pass' } as const
const Query = Type.Object({
  group: Choice(GROUPS),
  src: Choice(['all', 'you', 'auto']),
  /** Where the ask box would look. */
  project: Text(100),
  /** A wish to split that names no project. */
  split: Text(4_000),
  /** Of what was decided. */
  page: PageNumber,
})
type Query = Static<typeof Query>
const One = Type.Object({ ...Query.properties })

const ADDRESS = '/console/gardener'
/** Proposals that the rail holds. */
const RAIL_ROWS = 200
const LIVE = { page: ['gardener.action', 'memory.*', 'note.*', { every: 300 }] }

export const gardener = defineScreen({
  section: 'gardener',
  nav: {
    group: 'Tend',
    label: 'Gardener',
    key: 'd',
    badge: {
      tone: 'attention',
      asks: 'proposals wait',
      count: countWaiting,
      concerns: ['gardener.action'],
    },
  },
  item: { kind: 'proposal', fragments: ['reader'] },
  writes: [applyOne, dismissOne, hideOne, unhideOne, retargetOne, applyBatch, askFor, askToSplit],

  async routes(app) {
    app.get('', { schema: { querystring: Query } }, async ({ query }, reply) => {
      const queue = await queueOf(app, query)
      const cards = await cardsOf(app, queue.cards)
      const { project, split, page } = query
      return reply.page('page', {
        title: 'Gardener',
        data: {
          groups: batchesOf(queue.cards, cards.map(forPrograms)),
          cards: cards.filter(({ plan }) => plan === undefined).map(forPrograms),
          pending_count: queue.pending,
          requested_count: queue.requested,
          background_count: queue.pending - queue.requested,
          can_request: true,
          projects: await projectChoices(app.kernel.db, app.owner),
          scope: project || null,
          split_req: split || null,
          ...(await pastOf(app, page)),
        },
        only: { page, model: app.kernel.chat.state().on },
        async around() {
          const first = queue.cards[0]
          return {
            rail: railOf(queue, query),
            open: first ? await openOf(app, first, query, queue.cards) : null,
            chosen: false,
            last_run: (await readRuns(app.kernel, app.owner, 1))[0] ?? null,
          }
        },
        live: LIVE,
      })
    })

    const schema = { params: ById, querystring: One }
    app.get('/:id', { schema }, async ({ params, query }, reply) => {
      const card = await readCard(app.kernel, app.owner, params.id)
      if (!card) throw app.unknown(params.id)
      const { status } = card.proposal
      if (status !== 'pending') {
        // Somebody has decided it, perhaps in another tab.
        const said = new URLSearchParams({ error: `That proposal is ${status} already.` })
        return reply.redirect(`${ADDRESS}?${said.toString()}`, 303)
      }
      const queue = await queueOf(app, query)
      const open = await openOf(app, card, query, queue.cards)
      return reply.page('page', {
        title: open.title,
        data: forPrograms(open),
        only: { open },
        async around() {
          return {
            rail: railOf(queue, query),
            chosen: true,
            ...{ pending_count: queue.pending, can_request: true, split_req: query.split || null },
            projects: await projectChoices(app.kernel.db, app.owner),
            scope: query.project || null,
            page: query.page,
            model: app.kernel.chat.state().on,
            last_run: (await readRuns(app.kernel, app.owner, 1))[0] ?? null,
            ...(await pastOf(app, query.page)),
          }
        },
        live: LIVE,
      })
    })
  },
})

const queueOf = ({ kernel, owner }: ScreenApp, { group, src }: Query) =>
  readQueue(kernel, owner, {
    ...(group !== 'all' && { section: group }),
    ...(src !== 'all' && { origin: ORIGINS[src] }),
    limit: RAIL_ROWS,
  })

/** What was decided last, and what is hidden for good. */
async function pastOf({ kernel, owner }: ScreenApp, page: number) {
  const [{ decided, more }, { hidden, total }] = await Promise.all([
    readDecided(kernel, owner, page),
    readHidden(kernel, owner),
  ])
  return {
    recent: decided.map(decidedOf),
    more_decided: more,
    hidden: hidden.map((card) => ({
      ...briefOf(card),
      resolved_at: card.proposal.resolved_at,
    })),
    hidden_count: total,
  }
}

/** The open proposal, with where its decision leads and what would be missed. */
async function openOf(app: ScreenApp, card: Card, query: Query, queue: readonly Card[]) {
  const { plan, id } = card.proposal
  const [[shown], impact, waiting] = await Promise.all([
    cardsOf(app, [card]),
    impactOf(app, card),
    countOfPlans(app.kernel.db, app.owner, plan === '' ? [] : [plan]),
  ])
  const place = queue.findIndex(({ proposal }) => proposal.id === id)
  const next = queue[place + 1] ?? (place > 0 ? queue[place - 1] : undefined)
  const list = linkQuery(Query, query)
  const batch = queue.filter(({ proposal }) => plan !== '' && proposal.plan === plan)
  return {
    ...shown!,
    impact,
    next: ADDRESS + (next ? `/${next.proposal.id}` : '') + list,
    batch: plan === '' ? null : { slug: plan, waiting: waiting.get(plan) ?? 1 },
    targets: card.proposal.kind === 'reproject' ? (batchesOf(batch, [])[0]?.targets ?? []) : [],
  }
}

function railOf(queue: Awaited<ReturnType<typeof queueOf>>, query: Query) {
  const { pending, sections } = queue
  const { menus, chips, clear } = narrowingOf({
    ...{ base: ADDRESS, schema: Query, values: { ...query, page: 1 } },
    menus: [
      {
        ...{ name: 'group', label: 'Kind' },
        options: [
          { value: 'all', label: 'any', count: pending },
          ...Object.keys(SECTIONS).map((section) => ({
            value: section,
            label: SECTION_LABELS[section as Section],
            count: sections[section as Section],
          })),
        ],
      },
      {
        ...{ name: 'src', label: 'Source' },
        options: [
          { value: 'all', label: 'any', count: pending },
          { value: 'you', label: 'asked for', count: queue.requested },
          { value: 'auto', label: 'found', count: pending - queue.requested },
        ],
      },
    ],
  })
  const rows = queue.cards.map(briefOf)
  const batches = [...Map.groupBy(rows, ({ plan = '' }) => plan)].filter(([plan]) => plan !== '')
  const singles = rows.filter(({ plan }) => plan === undefined)
  return {
    groups: [
      ...batches.map(([plan, cards]) => ({ id: plan, label: plan, cards, batch: true })),
      ...[...Map.groupBy(singles, ({ eyebrow }) => eyebrow)]
        .toSorted(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
        .map(([label, cards]) => ({ id: label, label, cards, batch: false })),
    ],
    count: rows.length,
    more: rows.length === RAIL_ROWS ? pending - rows.length : 0,
    query: linkQuery(Query, query),
    narrowing: { menus, chips, clear },
  }
}

const ORDER = Object.values(SECTION_LABELS)
