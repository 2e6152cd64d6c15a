/** What the page of context is asked for. */
import Type, { type Static } from 'typebox'
import { CLIENTS } from '../../hooks/preview.ts'
import { invalid } from '../../kernel/refusal.ts'
import { Choice, Narrowing, PageNumber, Text } from '../parameters.ts'

const PROMPT_CHARACTERS = 4_000

export const Asking = Type.Object({
  scope: Choice(['all', 'project']),
  project: Text(200),
  client: Narrowing(CLIENTS),
  prompt: Text(PROMPT_CHARACTERS),
  page: PageNumber,
})
export type Asking = Static<typeof Asking>

/** A project and what only one project has go with `scope=project` alone, which wants one. */
export function checkAsking({ scope, project, client, prompt }: Asking): void {
  if (scope === 'project') {
    if (project !== '') return
    throw invalid('scope=project wants a project: add project=<slug>, or project=global')
  }
  const stray = Object.entries({ project, client, prompt }).find(([, given]) => given)
  if (stray) throw invalid(`${stray[0]} goes with scope=project: add it, or leave ${stray[0]} out`)
}
