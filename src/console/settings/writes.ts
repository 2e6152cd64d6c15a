/** What the owner sets while the service runs. Each is kept whole or not at all. */
import Type from 'typebox'
import { changeBriefing, resetBriefing } from '../../briefing/briefing.ts'
import { FORCES, type Force } from '../../demand/demand.ts'
import { resetFeatures, switchFeatures, type Features } from '../../features/features.ts'
import { invalid } from '../../kernel/refusal.ts'
import { MOST, name } from '../../kernel/schema/bounds.ts'
import { deleteFamily, parseProject, saveFamily } from '../../projects/projects.ts'
import { Gathered, Typed } from '../parameters.ts'
import { act } from '../screen.ts'
import { FIELDS, optionsIn } from './briefing.ts'
import { featureKeys, fieldOf, onWords } from './features.ts'

const SETTINGS = '/console/settings'
const BY = 'console'
const flashes = ['conflict', 'invalid', 'not_found', 'forbidden', 'ambiguous'] as const
const at = (place: string) => ({ next: `${SETTINGS}#${place}`, flashes })

/** Scopes of one form at most. */
const MOST_SCOPES = 2_000

export const saveBriefing = act({
  path: '/briefing',
  form: Type.Object(
    { ...FIELDS, utility_force: Gathered(MOST_SCOPES) },
    // A box that is misspelt would count as one that is not ticked.
    { additionalProperties: false },
  ),
  ...at('briefing'),
  async run(kernel, { utility_force: forces = {}, ...sent }) {
    const options = optionsIn(sent)
    const forced = forcesIn(forces)
    if (options === undefined && Object.keys(forced).length === 0)
      throw invalid('the form sets nothing: it holds no field of the briefing and no scope')
    const briefing = await changeBriefing(kernel, BY, { options, forces: forced })
    return { briefing, onlyForces: options === undefined && Object.keys(forced).length > 0 }
  },
  notice: ({ onlyForces }) => (onlyForces ? 'Scopes saved.' : 'Briefing settings saved.'),
})

/** By the slugs of the store, where '' is the global scope. */
function forcesIn(sent: Readonly<Record<string, string>>): Record<string, Force> {
  return Object.fromEntries(
    Object.entries(sent).map(([scope, force]) => {
      const known = FORCES.find((each) => each === force)
      const slug = parseProject(scope)
      if (known && slug !== undefined) return [slug, known]
      throw invalid(
        `invalid utility_force.${scope.slice(0, 100)} ${JSON.stringify(force.slice(0, 100))}: valid values are ${FORCES.join(', ')}`,
      )
    }),
  )
}

export const forgetBriefing = act({
  path: '/briefing/reset',
  ...at('briefing'),
  run: async (kernel) => ({ briefing: await resetBriefing(kernel, BY) }),
  notice: 'Briefing override cleared.',
})

export const saveFeatures = act({
  path: '/features',
  form: Type.Object(
    Object.fromEntries(
      featureKeys.map((key) => [fieldOf(key), Type.Optional(Type.Enum(['1'], { typed: true }))]),
    ),
    // A misspelt one would switch off what was meant.
    { additionalProperties: false },
  ),
  ...at('features'),
  async run(kernel, sent: Readonly<Record<string, string | undefined>>) {
    const switches = featureKeys.map((key) => [key, sent[fieldOf(key)] !== undefined])
    return { features: await switchFeatures(kernel, BY, Object.fromEntries(switches)) }
  },
  notice: ({ features }: { features: Features }) => onWords(features),
})

export const forgetFeatures = act({
  path: '/features/reset',
  ...at('features'),
  run: async (kernel) => ({ features: await resetFeatures(kernel, BY) }),
  notice: 'Feature override cleared.',
})

export const editFamily = act({
  path: '/families/save',
  form: Type.Object(
    {
      name: Typed({ maxLength: 200, default: '' }),
      /** What the family is called that is changed; a new one has none. */
      original_name: Type.Optional(Typed({ maxLength: 200 })),
      members: Type.Optional(Type.Array(name(), { maxItems: MOST.items, typed: true })),
    },
    // With a misspelt original_name another family would be made.
    { additionalProperties: false },
  ),
  ...at('families'),
  async run(kernel, { name, original_name, members = [] }) {
    const was = original_name || undefined
    if (name.trim() === '') throw invalid('name is missing: a family needs one')
    // One that is typed may name several.
    const projects = members.flatMap((typed) => typed.split(',')).filter((slug) => slug.trim())
    const saved = await saveFamily(kernel, BY, { family: name, was, projects })
    return { name: saved.family, made: saved.made }
  },
  notice: ({ name, made }) => `Family ${name} ${made ? 'created' : 'updated'}.`,
})

export const endFamily = act({
  path: '/families/delete',
  form: Type.Object(
    { original_name: Type.String({ maxLength: 200, default: '' }) },
    { additionalProperties: false },
  ),
  ...at('families'),
  async run(kernel, { original_name: family }) {
    if (family.trim() === '') throw invalid('original_name is missing: say which family')
    const { name, back } = await deleteFamily(kernel, BY, family)
    return { name, back }
  },
  notice: ({ name, back }) =>
    back
      ? `Family ${name} deleted: the one of the configuration file counts again.`
      : `Family ${name} deleted.`,
})
