/** The form of what briefings hold: its fields with their values and sources, and the reading of what was typed. */
import Type from 'typebox'
import { allowed } from '../../config.ts'
import { CONFIG } from '../../config/schema.ts'
import type { BriefingOptions } from '../../briefing/briefing.ts'
import { fits } from '../../kernel/schema/fits.ts'
import { Typed } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { sourceOf, type Source } from './configuration.ts'

const { properties: OPTIONS } = CONFIG.properties.briefing
type Name = keyof BriefingOptions

const names = Object.keys(OPTIONS) as Name[]
const typeOf = (name: Name): string => (OPTIONS[name] as { type?: string }).type ?? 'choice'

/** What the owner reads of each: its label, what its number counts, and what a 0 or its being on means. */
const WORDS: Readonly<Record<Name, { label: string; unit?: string; hint: string }>> = {
  constraint_max_full: { label: 'Constraints shown in full', hint: '0 shows all of them' },
  convention_max_full: { label: 'Conventions shown in full', hint: '0 shows all of them' },
  memory_max_items: { label: 'Memories in the index', hint: '0 sets no limit' },
  memory_max_age_days: {
    ...{ label: 'Age at which memories leave the index', unit: 'days' },
    hint: '0 keeps them whatever their age',
  },
  findings_count: { label: 'Earlier findings', hint: '0 hides them' },
  findings_max_age_days: {
    ...{ label: 'Age at which findings disappear', unit: 'days' },
    hint: '0 keeps them whatever their age',
  },
  ready_tasks_shown: { label: 'Ready tasks', hint: '0 hides them' },
  pending_plan_max_days: {
    ...{ label: 'A presented plan stays for', unit: 'days' },
    hint: '0 is for ever; the inbox of the overview goes by it too',
  },
  stage_unknown_max_age_days: {
    ...{ label: 'A stage without a state stays for', unit: 'days' },
    hint: '0 is for ever',
  },
  hard_cap_multiplier: {
    ...{ label: 'Longest briefing', unit: '× budget' },
    hint: 'where constraints and stages need more than the budget; 0 means 2',
  },
  include_parent_memories: {
    label: 'Memories of the parent project',
    hint: 'a project with a parent inherits what that knows',
  },
  sibling_findings_count: { label: 'Findings of the family', hint: '0 hides them' },
  include_sibling_memories: {
    label: 'Memories of the family',
    hint: 'constraints and stages never cross',
  },
  utility_weight: {
    label: 'Utility weight',
    hint: 'from 0, the newest first, to 1, what is asked for most first',
  },
  utility_mode: {
    label: 'Utility mode',
    hint: 'auto: utility orders the scopes of which enough was asked, see below',
  },
}

const GROUPS: readonly { label: string; names: readonly Name[] }[] = [
  {
    label: 'Knowledge',
    names: [
      'constraint_max_full',
      'convention_max_full',
      'memory_max_items',
      'memory_max_age_days',
      'include_parent_memories',
      'include_sibling_memories',
    ],
  },
  {
    label: 'Work',
    names: [
      'findings_count',
      'findings_max_age_days',
      'sibling_findings_count',
      'ready_tasks_shown',
      'pending_plan_max_days',
      'stage_unknown_max_age_days',
    ],
  },
  { label: 'Length and order', names: ['hard_cap_multiplier', 'utility_weight', 'utility_mode'] },
]

export interface Field {
  name: Name
  kind: 'number' | 'flag' | 'choice'
  label: string
  unit: string
  hint: string
  /** As the field shows it: what was typed, else what is in force. */
  value: string
  on: boolean
  choices: readonly string[]
  /** What is allowed, when what was typed is not. */
  problem: string
  source: Source
  /** What the configuration says, where something else was saved here. */
  configured: string
}

/** The form's fields by group. `typed` is what a form held that was refused; nothing: it was not. */
export function fieldsOf(
  app: ScreenApp,
  options: BriefingOptions,
  over: Partial<BriefingOptions>,
  typed: Readonly<Record<string, string>>,
): { label: string; fields: Field[] }[] {
  const isTyped = names.some((name) => Object.hasOwn(typed, name))
  const base = app.kernel.config.briefing
  const field = (name: Name): Field => {
    const kind = kindOf(name)
    const text = isTyped ? (typed[name] ?? '') : String(options[name])
    const saved = Object.hasOwn(over, name)
    return {
      ...{ name, kind, unit: '', ...WORDS[name] },
      value: text,
      on: isTyped ? Object.hasOwn(typed, name) : options[name] === true,
      choices: kind === 'choice' ? (OPTIONS[name] as { enum: string[] }).enum : [],
      problem: isTyped && !fits(OPTIONS[name], valueOf(name, text)) ? allowed(OPTIONS[name]) : '',
      source: saved ? 'console' : sourceOf(app, `briefing.${name}`),
      configured: saved ? wordOf(base[name]) : '',
    }
  }
  return GROUPS.map(({ label, names }) => ({ label, fields: names.map(field) }))
}

const wordOf = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)

function kindOf(name: Name): Field['kind'] {
  const type = typeOf(name)
  return type === 'boolean' ? 'flag' : type === 'choice' || type === 'string' ? 'choice' : 'number'
}

/** A number is typed as text, so that whatever was typed stays in its field. */
const NUMBER = Type.Optional(Typed({ maxLength: 40 }))
/** A box that is not ticked sends nothing. */
const FLAG = Type.Optional(Type.Enum(['1', 'on', 'true'], { typed: true }))

/** The fields of the form, as they are sent. */
export const FIELDS = Object.fromEntries(
  names.map((name) => [name, kindOf(name) === 'flag' ? FLAG : NUMBER]),
) as Record<Name, typeof NUMBER>

export type Sent = { [name in Name]?: string }

/**
 * What a form says; undefined when it has none of the fields. A blank number is 0 and a box that is not there is off;
 * a number or a choice that is not there stays as it is.
 */
export function optionsIn(sent: Sent): Record<string, unknown> | undefined {
  const present = names.filter((name) => sent[name] !== undefined)
  if (present.length === 0) return undefined
  const said = names.filter((name) => present.includes(name) || kindOf(name) === 'flag')
  return Object.fromEntries(said.map((name) => [name, valueOf(name, sent[name] ?? '')]))
}

/** The value that a text stands for, or the text itself when it stands for none. */
function valueOf(name: Name, text: string): unknown {
  const typed = text.trim()
  switch (kindOf(name)) {
    case 'flag':
      return typed !== ''
    case 'choice':
      return typed
    default:
      if (typed === '') return 0
      return /^(?:\d+\.?\d*|\.\d+)$/.test(typed) ? Number(typed) : text
  }
}
