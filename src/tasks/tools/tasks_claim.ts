import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import {
  checkPaths,
  claimTask,
  holderNames,
  overlappingClaims,
  taskFields,
  wireTask,
} from '../tasks.ts'

const DEFAULT_SECONDS = 900
const DAY_SECONDS = 86_400

export const tasks_claim = defineTool({
  name: 'tasks_claim',
  title: 'Claim a task',
  description:
    'Take a task that tasks_ready lists, before you begin it, so that nobody else works on it. The ' +
    'claim ends after lease_seconds or with the session: claim again to keep it, and pass ' +
    'claim_token with every change. A lapsed one may be taken over. overlaps tells who else changes ' +
    'your paths.',
  input: Type.Object({
    id: fields.taskId,
    lease_seconds: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: DAY_SECONDS,
        description: `default ${DEFAULT_SECONDS}, most ${DAY_SECONDS}`,
      }),
    ),
    paths: Type.Optional(
      fields.list(fields.name(), {
        description: "globs of files you will change, from the repository's root",
      }),
    ),
    claim_token: Type.Optional(
      fields.name({ description: 'when you renew; refused once it has passed on' }),
    ),
    bodies: Type.Optional(Type.Boolean({ description: 'the body whole, not a line' })),
    session: fields.session,
  }),
  output: Type.Object({
    ...taskFields,
    claim_token: Type.String({ description: 'pass it with what you do under this claim' }),
    renewed: Type.Optional(
      Type.Literal(true, {
        description: 'your session held it already, maybe another agent of it',
      }),
    ),
    reclaimed: Type.Optional(
      Type.Literal(true, { description: 'its holder fell silent: look at what is done already' }),
    ),
    prior_holder: Type.Optional(Type.String({ description: 'name of a session' })),
    overlaps: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          title: Type.String(),
          claimed_by: Type.String(),
          paths: Type.Array(Type.String()),
        }),
        { description: 'live claims that may change the same files' },
      ),
    ),
  }),
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  core: true,

  async run({ id, lease_seconds, paths, claim_token, bodies }, { kernel, scopes, session }) {
    const claimed = await claimTask(kernel, scopes.actor, scopes.reach, id.trim(), {
      seconds: Math.trunc(lease_seconds ?? DEFAULT_SECONDS),
      paths: checkPaths(paths),
      token: claim_token?.trim() || undefined,
    })
    const { task, token, renewed, prior_holder } = claimed
    const found = await overlappingClaims(kernel, task)
    const holders = [task, ...found].map(({ claimed_by }) => claimed_by)
    const asker = { scope: scopes.reach, session }
    const nameOf = await holderNames(kernel.db, asker, [...holders, prior_holder])
    const overlaps = found.map((each) => ({ ...each, claimed_by: nameOf(each.claimed_by) }))
    return {
      ...wireTask({ ...task, claimed_by: nameOf(task.claimed_by) }, { bodies: bodies ?? false }),
      claim_token: token,
      ...(renewed && { renewed: true as const }),
      ...(prior_holder && { reclaimed: true as const, prior_holder: nameOf(prior_holder) }),
      ...(overlaps.length > 0 && { overlaps }),
    }
  },
})
