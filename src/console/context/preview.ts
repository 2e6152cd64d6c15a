/** What an agent would get now, in one project and by one client, part by part with what each costs and leaves out. */
import { findOptions, type BriefingOptions } from '../../briefing/briefing.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import {
  CEILINGS,
  CLIENTS,
  previewPrompt,
  previewStart,
  previewSubagent,
  type Client,
  type Cut,
  CLOSING,
  type Preview,
} from '../../hooks/preview.ts'
import { linkQuery } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { Asking } from './asking.ts'

const USUAL: Client = 'claude-code'

/** @param project '' is the global scope */
export async function previewsOf({ kernel }: ScreenApp, project: string, query: Asking) {
  const { client = USUAL, prompt } = query
  const asked = { client, project, prompt }
  const [start, beside, subagent, options] = await Promise.all([
    previewStart(kernel, asked),
    previewPrompt(kernel, asked),
    previewSubagent(kernel, asked),
    findOptions(kernel),
  ])
  const { max_briefing_tokens: budget } = kernel.config.budgets
  const reasons = reasonsOf(kernel, client, options)
  return {
    client,
    budget,
    ...(prompt !== '' && { prompt }),
    start: shown(start, reasons),
    ...(beside && { beside: shown(beside, reasons) }),
    subagent: shown(subagent, reasons),
  }
}
export type Previews = Awaited<ReturnType<typeof previewsOf>>

/** Every client as a link to its preview. */
export const clientMenu = (query: Asking) => ({
  name: 'client',
  label: 'Client',
  value: query.client ?? USUAL,
  links: CLIENTS.map((client) => ({
    label: client,
    href: `/console/context${linkQuery(Asking, { ...query, client })}`,
    current: client === (query.client ?? USUAL),
  })),
})

type Reasons = Record<Cut['why'], string>

/** Each reason in words, with the number that is in force. */
function reasonsOf({ config }: Kernel, client: Client, options: BriefingOptions): Reasons {
  const budget = config.budgets.max_briefing_tokens
  const count = (n: number) => n.toLocaleString('en')
  const { most, unit } = CEILINGS[client]
  const days = options.stage_unknown_max_age_days
  const cap = budget * (options.hard_cap_multiplier || 2)
  const named = Object.entries(options).map(([name, value]) => [
    name,
    `briefing.${name} is ${String(value)}`,
  ])
  return {
    ...(Object.fromEntries(named) as Record<keyof BriefingOptions, string>),
    room: `no room in the budget of ${count(budget)} tokens`,
    fixed: 'a briefing names no more',
    client: `${client} passes on ${count(most)} ${unit}`,
    stage_unknown_max_age_days:
      days === 0
        ? 'they are done'
        : `done, or without a state for more than ${days} ${days === 1 ? 'day' : 'days'}`,
    hard_cap_multiplier: `no briefing is longer than ${count(cap)} tokens`,
  }
}

/** The end of a text is the part of what stands behind every other. */
const END = 'The end of it'

function shown({ text, tokens, parts, cuts }: Preview, reasons: Reasons) {
  const titled = cuts.map(({ part, ...cut }) => ({ ...cut, part: part || END }))
  const cutsOf = (title: string) =>
    titled
      .filter(({ part }) => part === title)
      .map(({ lines, named, why }) => ({ lines, named, why, said: reasons[why] }))
  const silent = new Set(titled.map(({ part }) => part))
  for (const { title } of parts) silent.delete(title)
  const nothingOf = [...silent].map((title) => ({ title, tokens: 0 }))
  // What is left out whole would stand before what closes the text.
  const closing = parts.findIndex(({ title }) => title === CLOSING)
  const all = parts.toSpliced(closing === -1 ? parts.length : closing, 0, ...nothingOf)
  return { text, tokens, sections: all.map((part) => ({ ...part, cuts: cutsOf(part.title) })) }
}
