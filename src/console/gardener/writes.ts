/** What the owner decides of proposals, and asks of the gardener. */
import Type from 'typebox'
import { NOBODY, type Kernel } from '../../kernel/kernel.ts'
import { conflict, invalid, notFound } from '../../kernel/refusal.ts'
import {
  applyPlan,
  applyProposal,
  dismissProposal,
  hideProposal,
  planSplit,
  requestCleanUps,
  retargetProposal,
  undoProposal,
  unhideProposal,
  type Requested,
} from '../../gardener/gardener.ts'
import { findPlace, parseProject, scopeAt, wireProject } from '../../projects/projects.ts'
import { Typed } from '../parameters.ts'
import { act } from '../screen.ts'

const QUEUE = '/console/gardener'
const atCard = ({ id }: { id: string }) => `${QUEUE}/${id}`
/** `undo` takes the decision back. */
const Decision = Type.Object({ undo: Type.Optional(Type.Literal('1')) })
const flashes = ['conflict', 'invalid', 'not_found', 'forbidden', 'ambiguous'] as const

export const applyOne = act({
  path: '/:id/apply',
  form: Decision,
  ...{ next: QUEUE, again: atCard, flashes },
  async run(kernel, { id, undo }) {
    if (undo) return takeBack(kernel, id)
    const { status, kind } = await applyProposal(kernel, NOBODY, id.toUpperCase())
    return { id, status, kind }
  },
  notice: ({ status }) => (status === 'pending' ? TAKEN_BACK : 'Proposal applied.'),
})

export const dismissOne = act({
  path: '/:id/dismiss',
  form: Decision,
  ...{ next: QUEUE, again: atCard, flashes },
  async run(kernel, { id, undo }) {
    if (undo) return takeBack(kernel, id)
    const { kind } = await dismissProposal(kernel, NOBODY, id.toUpperCase())
    return { id, status: 'dismissed', kind }
  },
  notice: ({ status }) => (status === 'pending' ? TAKEN_BACK : 'Proposal dismissed.'),
})

export const hideOne = act({
  path: '/:id/hide',
  form: Decision,
  ...{ next: QUEUE, again: atCard, flashes },
  async run(kernel, { id, undo }) {
    if (undo) return takeBack(kernel, id)
    const { kind } = await hideProposal(kernel, NOBODY, id.toUpperCase())
    return { id, status: 'hidden', kind }
  },
  notice: ({ status }) => (status === 'pending' ? TAKEN_BACK : 'Pattern hidden for good.'),
})

const TAKEN_BACK = 'Taken back: the proposal waits again.'

async function takeBack(kernel: Kernel, id: string) {
  const { kind } = await undoProposal(kernel, NOBODY, id.toUpperCase())
  return { id, status: 'pending', kind }
}

export const unhideOne = act({
  path: '/:id/unhide',
  ...{ next: QUEUE, flashes },
  async run(kernel, { id }) {
    const { kind } = await unhideProposal(kernel, NOBODY, id.toUpperCase())
    return { id, status: 'dismissed', kind }
  },
  notice: 'Block lifted.',
})

export const retargetOne = act({
  path: '/:id/retarget',
  form: Type.Object({ to: Typed({ maxLength: 100, default: '' }) }),
  next: atCard,
  flashes,
  async run(kernel, { id, to }) {
    if (to.trim() === '') throw invalid('to is missing: choose a project')
    const { payload } = await retargetProposal(kernel, NOBODY, id.toUpperCase(), to)
    return { id, name: (payload as { name: string }).name, to }
  },
  notice: ({ name, to }) => `${name} now goes to ${to}.`,
})

export const applyBatch = act({
  path: '/plan/:slug/apply',
  ...{ next: QUEUE, flashes },
  async run(kernel, { slug }) {
    const { applied, of, error } = await applyPlan(kernel, NOBODY, slug)
    if (error !== undefined) throw conflict(`${applied} of ${of} applied; first problem: ${error}`)
    return { applied, of }
  },
  notice: ({ applied }) => `All ${applied} applied.`,
})

/** What came of asking. `split`: it is to be split, and nobody said which project. */
type Asked = Requested & { split?: string }

export const askFor = act({
  path: '/request',
  form: Type.Object({
    request: Typed({ maxLength: 4_000, default: '' }),
    /** Empty: every project. */
    project: Typed({ maxLength: 100, default: '' }),
  }),
  ...{ next: QUEUE, flashes },
  async run(kernel, { request, project }): Promise<Asked> {
    const slug = parseProject(project.trim())
    const all = slug === undefined
    if (!all) await checkThere(kernel, slug)
    const scope = await scopeAt(kernel.db, slug ?? '')
    const asked = { request, operations: [] }
    const answer = await requestCleanUps(kernel, NOBODY, { scope, all }, asked)
    if (!answer.splitIntent) return refuseNothing(answer)
    if (answer.splitSource === undefined) return { ...answer, split: request }
    const said = { source: answer.splitSource, instruction: request }
    return refuseNothing(await planSplit(kernel, NOBODY, scope, said))
  },
  leads: ({ split }) => split && `${QUEUE}?${new URLSearchParams({ split }).toString()}`,
  notice: ({ total, skipped, split }) =>
    split ? 'Choose the project that is to be split.' : generated(total, skipped),
})

export const askToSplit = act({
  path: '/split',
  form: Type.Object({
    source: Typed({ maxLength: 100, default: '' }),
    instruction: Typed({ maxLength: 4_000, default: '' }),
  }),
  next: QUEUE,
  flashes,
  async run(kernel, { source, instruction }) {
    if (source.trim() === '') throw invalid('source is missing: choose the project to split')
    const scope = await scopeAt(kernel.db, '')
    const answer = await planSplit(kernel, NOBODY, scope, { source, instruction })
    return { ...refuseNothing(answer), source }
  },
  notice: ({ source, total }) => `Split of ${source} planned: ${proposals(total)}.`,
})

async function checkThere({ db }: Kernel, slug: string): Promise<void> {
  const { registered } = await findPlace(db, slug)
  if (slug !== '' && !registered) throw notFound(`project ${JSON.stringify(wireProject(slug))}`)
}

const UNCLEAR =
  'No rule understands this. Ask like: merge tides into sails; archive tides because they are over; ' +
  'find duplicates; move tides to harbor; split atlas into web and api'

/** Asking that came to nothing says why, and what was typed stays. */
function refuseNothing(answer: Requested): Requested {
  if (answer.total > 0) return answer
  const unclear = answer.ambiguous.map(
    ({ ref, candidates }) =>
      `${JSON.stringify(ref)} may be ${candidates.map(({ name }) => name).join(', ')}: say which`,
  )
  const why = unclear[0] ?? answer.skipped[0] ?? (answer.guidance ? UNCLEAR : answer.summary)
  throw invalid(why)
}

const proposals = (n: number): string => `${n} ${n === 1 ? 'proposal' : 'proposals'}`

const generated = (total: number, skipped: readonly string[]): string =>
  `${proposals(total)} generated.${skipped.length > 0 ? ` Left out: ${skipped[0]}` : ''}`
