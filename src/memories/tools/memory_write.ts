import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { withhold, wireProject } from '../../projects/projects.ts'
import {
  checkDraft,
  checkFirst,
  findSuperseded,
  lookForSimilar,
  type Look,
  MEMORY_KINDS,
  memoryName,
  memoryNameAt,
  refusePrinted,
  seeksSimilar,
  stageHint,
  supersedeFound,
  writeMemory,
} from '../memories.ts'

const Similar = Type.Object(
  { name: Type.String(), description: Type.String(), score: Type.Number() },
  { description: 'an active memory that says nearly the same' },
)

export const memory_write = defineTool({
  name: 'memory_write',
  title: 'Write a memory',
  description:
    'Keep one durable fact that later agents need: a rule, a pitfall, a decision and its reasons. ' +
    'Not what the code or AGENTS.md says; long texts go to notes_create. The same name in a project ' +
    'is rewritten. kind: constraint is a rule that every agent keeps whatever its task; convention a ' +
    'choice of this project; runbook a procedure; protocol a contract between parties; gotcha a ' +
    'surprising pitfall with its symptom; decision a choice with reasons; refuted a claim found ' +
    'false; reference a pointer; stage a state of the world that all must know while it holds, its ' +
    'body opening with Status: open|in_progress|blocked|done and Gate: human|ai. When the meaning ' +
    'has changed write a new one with supersedes; to correct words use memory_edit, to add ' +
    'memory_append. Link others as [[name]].',
  input: Type.Object({
    name: fields.name({ description: 'short and telling; unique in the project' }),
    kind: Type.Enum([...MEMORY_KINDS], { type: 'string', description: 'as above' }),
    description: fields.line({
      description: 'the line that lists and briefings show, in 150 characters',
    }),
    body: fields.body,
    project: fields.project,
    tags: Type.Optional(fields.tagList('replace all; left out, they stay')),
    supersedes: Type.Optional(
      fields.name({
        description: 'name, or project/name, of a memory that this one replaces',
      }),
    ),
    expect_hash: fields.expectHash,
    session: fields.session,
  }),
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    project: Type.String(),
    updated: Type.Boolean({ description: 'true: an active memory of the name was rewritten' }),
    superseded: Type.Optional(Type.String({ description: 'the memory that was retired' })),
    similar: Type.Optional(Similar),
    stage_hint: fields.stageHint,
    ...fields.created,
    indexed: fields.indexed,
    withheld: fields.withheld,
  }),
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  core: true,

  async run({ project: asked, supersedes, expect_hash, ...draft }, { kernel, scopes }) {
    checkDraft(draft)
    const replaces = memoryName(supersedes ?? '') && supersedes
    const { project, isNew } = await scopes.aim(asked)
    if (isNew) checkFirst(draft, expect_hash)
    const heir = { project, name: await memoryNameAt(kernel.db, project, draft.name) }
    await refusePrinted(kernel, scopes.reach, heir, draft.name)
    const old = replaces && (await findSuperseded(kernel, scopes.reach, heir, replaces))
    const [seeks] = await Promise.all([seeksSimilar(kernel, heir), scopes.write(asked)])
    const look = seeks && (await lookForSimilar(kernel, scopes, project, draft))
    const place = { project, scope: scopes.reach }
    const memory = await writeMemory(kernel, scopes.actor, place, draft, {
      expectHash: expect_hash,
      beside: look ? look.beside : undefined,
    })
    const superseded =
      old && (await supersedeFound(kernel, scopes.actor, scopes.reach, memory, old))
    const hint = stageHint(memory)
    const similar = look && firstOther(await look.found(), [memory.id, old ? old.id : ''])
    return withhold(kernel, { project, readable: !memory.unseen }, ['similar'], {
      id: memory.id,
      name: memory.name,
      project: wireProject(project),
      updated: memory.rewritten,
      ...(similar && !memory.rewritten && { similar }),
      ...(superseded && { superseded }),
      ...(hint && { stage_hint: hint }),
      ...(!memory.indexed && { indexed: false }),
    })
  },
})

/** The most similar one that is none of these. */
function firstOther(found: Awaited<ReturnType<Look['found']>>, known: readonly string[]) {
  const other = found.find(({ id }) => !known.includes(id))
  if (!other) return undefined
  const { id: _, ...similar } = other
  return similar
}
