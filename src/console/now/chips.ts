/** By which project the page can be cut. */
import { wireProject } from '../../projects/projects.ts'

type Projects = readonly [slug: string, live: number][]

/** Each project in which agents are at work, and the chosen one even when nobody is. */
export function chipsOf(projects: Projects, scope: string | null) {
  const chips = projects.map(([slug, live]) => ({
    slug: wireProject(slug),
    live,
    active: slug === scope,
  }))
  if (scope !== null && !chips.some(({ active }) => active)) {
    chips.push({ slug: wireProject(scope), live: 0, active: true })
  }
  return chips.sort((a, b) => (a.slug < b.slug ? -1 : 1))
}

/** As many as stand beside each other; more of them are a menu. */
const MOST_SEGMENTS = 4

/** The same as links, with one to everything. */
export function choiceOf(projects: Projects, scope: string | null) {
  const chips = chipsOf(projects, scope)
  const links = [
    { label: 'everything', href: '/console/now', current: scope === null },
    ...chips.map(({ slug, live, active }) => ({
      label: slug,
      href: `/console/now?scope=${slug}`,
      current: active,
      count: live,
    })),
  ]
  const value = chips.find(({ active }) => active)?.slug ?? 'everything'
  return links.length <= MOST_SEGMENTS
    ? { links, menu: null }
    : { links: null, menu: { name: 'scope', label: 'Project', value, links } }
}
