/**
 * What an agent would be given now, made by what answers the hooks, without giving it: no event, no session,
 * and nothing counts as told. The owner's pages import this file and no other of the hooks.
 */
import {
  matchPrompt,
  sessionBriefing,
  subagentBriefing,
  type Composed,
  type Omission,
} from '../briefing/briefing.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { findPlace, placesOf, resolvePlace } from '../projects/projects.ts'
import { likelyHandle } from '../sessions/sessions.ts'
import { withoutOwnBlocks } from '../text/own-blocks.ts'
import { estimateTokens } from '../text/text.ts'
import { cutFor, type Client } from './clients.ts'
import { guardPayload } from './guard.ts'
import { readPayload } from './payload.ts'

export { CEILINGS, CLIENTS, type Client } from './clients.ts'

export interface Preview {
  /** As the agent would get it; '' when it would get nothing. */
  text: string
  /** Of that text. */
  tokens: number
  /** In the order of the text; of none of the parts when there is no text. */
  parts: PreviewPart[]
  cuts: Cut[]
}

export interface PreviewPart {
  /** Its heading; `Opening` and `Closing` have none. */
  title: string
  /** As they would be before the client cuts the text. */
  tokens: number
}

/** What the agent does not get: `client` stands for the limit of its client. */
export interface Cut extends Omit<Omission, 'why'> {
  why: Omission['why'] | 'client'
}

export interface PreviewAsked {
  client: Client
  /** '' is the global scope. */
  project: string
  /** What the owner types in place of a prompt, or of a subagent's task. */
  prompt: string
}

/** The client's id of the session that is made up. */
const NOBODYS = 'a session that is only previewed'

/** What a session that starts anew is briefed with, in the first directory or clone that is known of its project. */
export async function previewStart(
  kernel: Kernel,
  { client, project }: PreviewAsked,
): Promise<Preview> {
  const place = await findPlace(kernel.db, project)
  const how = await howFound(kernel, project)
  const briefing = await sessionBriefing(kernel, {
    ...{ project: place, source: 'startup', handle: likelyHandle(client, NOBODYS, place) },
    ...(how !== undefined && { how }),
  })
  return previewOf(client, briefing, { keep: 1 })
}

/** What is shown beside a prompt to an agent that was told nothing before. */
export async function previewPrompt(
  kernel: Kernel,
  { client, project, prompt: given }: PreviewAsked,
): Promise<Preview | null> {
  const { prompt } = guardPayload(kernel, readPayload({ prompt: given }))
  const asked = withoutOwnBlocks(prompt)
  if (asked.trim() === '') return null
  const place = await findPlace(kernel.db, project)
  const told = await matchPrompt(kernel, { project: place, prompt: asked })
  return previewOf(client, told, { keep: 0 })
}

/** What a subagent begins with whose task this is. */
export async function previewSubagent(
  kernel: Kernel,
  { client, project, prompt: given }: PreviewAsked,
): Promise<Preview> {
  const { spawn_prompt } = guardPayload(kernel, readPayload({ spawn_prompt: given }))
  const briefing = await subagentBriefing(kernel, {
    project: await findPlace(kernel.db, project),
    prompt: withoutOwnBlocks(spawn_prompt),
  })
  return previewOf(client, briefing, { keep: 0 })
}

/** As a session there is told of where it is; undefined where no place leads to the project. */
async function howFound(kernel: Kernel, project: string): Promise<string | undefined> {
  if (project === '') return (await resolvePlace(kernel, {}, false)).how
  for (const { place, remote } of await placesOf(kernel, project)) {
    const found = await resolvePlace(kernel, remote ? { repo: place } : { cwd: place }, false)
    if (found.project === project) return found.how
  }
  return undefined
}

/** @param keep how many lines before the closing tag its client's limit leaves alone */
function previewOf(
  client: Client,
  { text, omitted, closing }: Composed,
  { keep }: { keep: number },
): Preview {
  const sent = cutFor(client, text, keep)
  const parts = partsOf(text, closing)
  return {
    text: sent,
    tokens: estimateTokens(sent),
    parts: parts.map(({ title, lines }) => ({ title, tokens: estimateTokens(lines.join('\n')) })),
    cuts: [...omitted, ...(sent === text ? [] : lostOf(parts, text, sent, keep))],
  }
}

/** The lines from where the text is torn up to those that are kept, part by part. */
function lostOf(parts: readonly Part[], text: string, sent: string, keep: number): Cut[] {
  const [lines, arrived] = [text.split('\n'), sent.split('\n')]
  // The mark of the cut may stand behind a line that is whole.
  const torn = lines.findIndex((line, at) => ![line, `${line}...`].includes(arrived[at] ?? ''))
  const end = lines.length - keep - 1
  return parts.flatMap(({ title, from, lines: own }) => {
    const lost = Math.min(from + own.length, end) - Math.max(from, torn)
    return lost > 0 ? [{ part: title, lines: lost, named: false, why: 'client' }] : []
  })
}

const OPENING = 'Opening'
export const CLOSING = 'Closing'

interface Part {
  title: string
  /** The number of its first line in the text, from 0. */
  from: number
  lines: string[]
}

/** A text by its headings. @param closing so many lines at its end belong to no part */
function partsOf(text: string, closing: number): Part[] {
  if (text === '') return []
  const lines = text.split('\n')
  const parts: Part[] = [{ title: OPENING, from: 0, lines: [] }]
  for (const [at, line] of lines.entries()) {
    const isClosing = closing > 1 && at === lines.length - closing
    const title = isClosing ? CLOSING : /^## (.+)$/.exec(line)?.[1]
    if (title !== undefined) parts.push({ title, from: at, lines: [] })
    parts.at(-1)!.lines.push(line)
  }
  return parts
}
