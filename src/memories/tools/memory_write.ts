import Type from 'typebox'
import * as fields from '../../mcp/fields.ts'
import { defineTool } from '../../mcp/tool.ts'
import { withhold, wireProject } from '../../projects/projects.ts'
import {
  checkDraft,
  findSimilar,
  findSuperseded,
  MEMORY_KINDS,
  memoryName,
  memoryNameAt,
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
    'Keep one durable fact that later agents need. One fact per memory; long write-ups go to ' +
    'notes_create, and what the code or AGENTS.md already says is not written at all. The same name in the same project is rewritten in place. ' +
    'kind: constraint is a rule that any agent must keep whatever its task; convention is a choice ' +
    'or layout of this project; runbook a procedure; protocol a contract between parties; gotcha a ' +
    'surprising pitfall with its symptom; decision a choice with reasons; refuted a claim found ' +
    'false; reference a pointer; stage a state of the world that all must know while it holds, its ' +
    'body opening with Status: open|in_progress|blocked|done and Gate: human|ai. When the meaning ' +
    'has changed write a new memory with supersedes; to correct words use memory_edit, to add ' +
    'memory_append. Link others as [[name]].',
  input: Type.Object({
    name: fields.name({ description: 'short and telling; becomes a slug, unique in the project' }),
    kind: Type.Enum([...MEMORY_KINDS], { type: 'string', description: 'what it is, as above' }),
    description: fields.line({
      description: 'one line that says it all; cut at 150 characters',
    }),
    body: fields.body,
    project: fields.project,
    tags: Type.Optional(fields.tagList('replaces all tags; left out, they stay')),
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
    const project = await scopes.write(asked)
    const heir = { project, name: await memoryNameAt(kernel.db, project, draft.name) }
    const old = replaces && (await findSuperseded(kernel, scopes.reach, heir, replaces))
    const similar = await findSimilar(kernel, scopes, project, draft)
    const place = { project, scope: scopes.reach }
    const memory = await writeMemory(kernel, scopes.actor, place, draft, {
      expectHash: expect_hash,
    })
    const superseded =
      old && (await supersedeFound(kernel, scopes.actor, scopes.reach, memory, old))
    const hint = stageHint(memory)
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
