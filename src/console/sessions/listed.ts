/** A session as lists name it, with what it has done. */
import { CLIENT_PREFIXES, hasFindings } from '../../sessions/sessions.ts'
import { cut } from '../../text/text.ts'
import { spanOf } from '../durations.ts'
import { compact } from '../numbers.ts'
import { NO_FIGURES, type Figures, type ListedSession } from './queries.ts'

const SNIPPET_CHARACTERS = 120

/** By what a session's name begins with, where its client did not say which one it is. */
const HARNESSES = Object.fromEntries(
  Object.entries(CLIENT_PREFIXES).map(([client, prefix]) => [prefix, client]),
)

export function listed(row: ListedSession, figures: Figures = NO_FIGURES) {
  const { id, name, called, project, status, source, ambient, model, updated, state } = row
  const harness = harnessOf(row)
  const tokens = tokensOf(row)
  return {
    id,
    name,
    called,
    project,
    status,
    state,
    source,
    ambient,
    favorite: row.favorite,
    ...(harness && { harness }),
    ...(model && { model }),
    agent: agentOf(harness, model),
    live: state === 'live',
    findings: snippetOf(row.findings),
    duration: spanOf(row.seconds),
    ...figures,
    tokens,
    tokens_short: tokens.total === 0 ? '–' : compact(tokens.total),
    updated,
  }
}

function snippetOf(findings: string): string {
  const line = hasFindings(findings) ? findings.replaceAll(/\s+/g, ' ') : ''
  if (line.length <= SNIPPET_CHARACTERS) return line
  return `${cut(line, SNIPPET_CHARACTERS - 1).trimEnd()}…`
}

/** The client of a session; '' when it cannot be told. */
export const harnessOf = ({
  external_client,
  name,
}: Pick<ListedSession, 'external_client' | 'name'>) =>
  external_client || HARNESSES[/^(\w\w)\//.exec(name)?.[1] ?? ''] || ''

/** A pill's worth: `cc opus-4-7`. '' when nothing is known of the agent. */
export function agentOf(harness: string, model: string): string {
  const short = CLIENT_PREFIXES[harness] ?? harness
  return [short, model.replace(/^claude-/, '').replace(/-20\d{6}$/, '')].filter(Boolean).join(' ')
}

function tokensOf(row: ListedSession) {
  const { input_tokens: input, cached_tokens: cached, output_tokens: output } = row
  const { cache_creation_tokens: cache_creation } = row
  const total = input + cached + cache_creation + output
  return { input, cached, cache_creation, output, total }
}
