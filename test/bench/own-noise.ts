/** What stands around the facts of the own set: the same subject elsewhere, work that names it, and everyday talk. */
import { share, type Fact, type OwnItem, type OwnKind } from './own-item.ts'

export interface House {
  project: string
  services: string[]
}

/** Sentences by the kind of item that says them. */
export type Everyday = Record<OwnKind, string[]>

/**
 * The same subject in another service, with other figures: in the same house when every question names the
 * service, so that only one answers, and else in another house.
 */
export function twins(
  fact: Fact,
  house: House,
  houses: Readonly<Record<string, string[]>>,
): OwnItem[] {
  const names = (text: string): boolean => text.includes(fact.of)
  const besides = Object.values(fact.ask).every(names) && names(fact.title + fact.says)
  const projects = Object.keys(houses).filter((project) => project !== house.project)
  const project = besides ? house.project : pick(projects, `house ${fact.id}`)
  const others = houses[project]!.filter((service) => service !== fact.of)
  const other = pick(others, `service ${fact.id}`)
  const moved = (text: string): string => otherFigures(renamed(text, fact.of, other), fact.id)
  const { as, title, says } = fact
  const kind = as === 'finding' ? 'finding' : 'memory'
  return [
    {
      ...{ id: `${fact.id}-in-${other.toLowerCase()}`, project, kind, title: moved(title) },
      body: kind === 'finding' ? `${moved(title)}. ${moved(says)}` : moved(says),
      ...(as !== 'finding' && { memoryKind: as }),
    },
  ]
}

const WORK = [
  'Tell the newcomers about this - ',
  'Add a test for what we know - ',
  'See whether this is still so - ',
  'Link from the handbook - ',
]

/** Work that names the fact without saying it. */
export function mentions({ id, title, of }: Fact, project: string): OwnItem[] {
  if (project === '' || share(`mention ${id}`) > 0.35) return []
  const lead = pick(WORK, `work ${id}`)
  const body = `Somebody of ${of} takes an hour for it, and writes down what came out.`
  return [{ id: `${id}-work`, project, kind: 'task', title: lead + title, body }]
}

/** Of the sentences this part is written for each service. */
const WRITTEN = 0.52
const NAMES = ['Ines', 'Tomasz', 'Leyla', 'Ravi', 'Marit', 'Owen', 'Chidi', 'Noor']
const DAYS = ['Monday', 'Tuesday', 'the 3rd', 'the 12th', 'the 21st', 'Friday', 'the 28th']

export function everyday(phrases: Everyday, houses: Readonly<Record<string, string[]>>): OwnItem[] {
  const items: OwnItem[] = []
  for (const [project, services] of Object.entries(houses)) {
    for (const [kind, sentences] of Object.entries(phrases)) {
      for (const [nth, sentence] of sentences.entries()) {
        for (const who of services) {
          const id = `${who.toLowerCase()}-${kind}-${nth + 1}`
          if (share(`everyday ${id}`) > WRITTEN) continue
          const beside = pick(
            services.filter((service) => service !== who),
            `beside ${id}`,
          )
          const said = sentence
            .replaceAll('{who}', who)
            .replaceAll('{beside}', beside)
            .replaceAll('{name}', pick(NAMES, `name ${id}`))
            .replaceAll('{day}', pick(DAYS, `day ${id}`))
            .replaceAll('{n}', String(3 + Math.floor(share(`n ${id}`) * 40)))
          items.push(spoken(id, project, kind as OwnKind, said))
        }
      }
    }
  }
  return items
}

function spoken(id: string, project: string, kind: OwnKind, said: string): OwnItem {
  const [title = '', ...rest] = said.split('\n')
  if (kind === 'note') return { id, project, kind, title, body: rest.join('\n') }
  if (kind === 'memory')
    return { id, project, kind, memoryKind: 'convention', title, body: `${title}.` }
  return { id, project, kind, title: title.slice(0, 120), body: title }
}

const pick = <T>(from: readonly T[], by: string): T => from[Math.floor(share(by) * from.length)]!

/** In each way of writing it. */
const renamed = (text: string, from: string, to: string): string =>
  text
    .replaceAll(from, to)
    .replaceAll(from.toLowerCase(), to.toLowerCase())
    .replaceAll(from.toUpperCase(), to.toUpperCase())

/** Whole numbers before a unit or a word; those in names, versions and times stay. */
const otherFigures = (text: string, by: string): string =>
  text.replaceAll(/(?<![\w.:-])\d+(?=[ %])/g, (number, at: number) => {
    const factor = 1.2 + share(`figure ${by} ${at}`) * 2
    return String(Math.ceil(Number(number) * factor))
  })
