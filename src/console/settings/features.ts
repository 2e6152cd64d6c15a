/** The optional features: which are on and why, what each shows, and what is kept of it. */
import {
  effectiveFeatures,
  FEATURE_WORDS,
  FEATURES,
  storedFeatures,
  type Feature,
  type Features,
} from '../../features/features.ts'
import { findSetting } from '../../kernel/settings.ts'
import { eventKinds } from '../../event-kinds.ts'
import type { ScreenApp } from '../screen.ts'
import { sourceOf, type Source } from './configuration.ts'
import { findKept, type KeptRow } from './queries.ts'

/** What is hidden while a feature is off, by where it shows. */
export interface Shows {
  surfaces: string[]
  screens: string[]
  scopes: string[]
  tools: string[]
}

export interface FeatureCard {
  key: Feature
  label: string
  blurb: string
  enabled: boolean
  /** What the configuration says, which counts again after a reset. */
  default: boolean
  tools: string[]
  /** Of its form. */
  field: string
  /** What is hidden while it is off, in one sentence. */
  when_off: string
  data_kept: string
  source: Source
}

/** The kinds of events that are minted while a feature is on, and kept for ever. */
export const mintedBy = (feature: Feature): string[] =>
  [...eventKinds.values()].filter(({ look }) => look.feature === feature).map(({ name }) => name)

export const fieldOf = (feature: Feature): string => `feature_${feature}`

export const featureKeys = Object.keys(FEATURE_WORDS) as Feature[]

export async function featuresOf({ kernel }: ScreenApp): Promise<{
  configured: Features
  effective: Features
  overridden: boolean
  chosen: Partial<Features>
}> {
  const { features: configured } = kernel.config
  const stored = await findSetting(kernel.db, FEATURES)
  const chosen = storedFeatures(configured, stored)
  const effective = effectiveFeatures(configured, stored)
  return { configured, effective, overridden: Object.keys(chosen).length > 0, chosen }
}

export async function cardsOf(
  app: ScreenApp,
  { configured, effective, chosen }: Awaited<ReturnType<typeof featuresOf>>,
  typed: Readonly<Record<string, string>>,
): Promise<{ card: FeatureCard; shows: Shows; ticked: boolean }[]> {
  const isTyped = featureKeys.some((key) => Object.hasOwn(typed, fieldOf(key)))
  const [kept] = await findKept(app.kernel.db, app.owner, { kinds: featureKeys.flatMap(mintedBy) })
  return featureKeys.map((key) => {
    const shows = showsOf(app, key)
    const card: FeatureCard = {
      key,
      ...FEATURE_WORDS[key],
      enabled: effective[key],
      default: configured[key],
      tools: shows.tools,
      field: fieldOf(key),
      when_off: sentenceOf(shows),
      data_kept: keptWords(key, kept!),
      source: Object.hasOwn(chosen, key) ? 'console' : sourceOf(app, `features.${key}`),
    }
    return { card, shows, ticked: isTyped ? Object.hasOwn(typed, card.field) : card.enabled }
  })
}

/** As the screens and the tools declare it themselves. */
export function showsOf(
  { screens, service }: Pick<ScreenApp, 'screens' | 'service'>,
  feature: Feature,
): Shows {
  const own = screens.filter((screen) => screen.feature === feature)
  return {
    surfaces: screens.flatMap(({ surfaces = [] }) =>
      surfaces.filter((surface) => surface.feature === feature).map(({ label }) => label),
    ),
    screens: own.flatMap(({ nav }) => nav?.label ?? []),
    scopes: own.flatMap(({ search }) => search?.label ?? []),
    tools: service.tools
      .filter((tool) => tool.feature === feature)
      .map(({ name }) => name)
      .sort(),
  }
}

function sentenceOf({ surfaces, screens, scopes, tools }: Shows): string {
  const parts = [
    screens.length > 0 && `the ${of('screen', screens)}`,
    scopes.length > 0 && `the ${of('search scope', scopes)}`,
    tools.length > 0 && `the ${of('tool', tools)}`,
    surfaces.length > 0 && `on other pages: ${surfaces.map(lowered).join(', ')}`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'Nothing of it shows anywhere yet.' : `Hidden: ${parts.join('; ')}.`
}

const of = (what: string, names: readonly string[]): string =>
  `${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`

const lowered = (label: string): string => label.charAt(0).toLowerCase() + label.slice(1)

function keptWords(feature: Feature, { trials, labs, events }: KeptRow): string {
  if (feature === 'research') return `${many(trials, 'trial')} in ${many(labs, 'lab')}`
  const minted = mintedBy(feature).reduce((sum, kind) => sum + Number(events[kind] ?? 0), 0)
  return many(minted, feature === 'momentum' ? 'moment' : 'record')
}

const many = (n: number, what: string): string =>
  `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`

/** Which are on, for the flash of a form. */
export const onWords = (features: Features): string => {
  const on = featureKeys.filter((key) => features[key]).map((key) => FEATURE_WORDS[key].label)
  return on.length === 0 ? 'All optional features are off.' : `On: ${on.join(', ')}.`
}
