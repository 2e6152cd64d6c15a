/** The figures of the board of projects, and of the page of one. */
import { AIMS } from '../aims.ts'
import { declareFigures } from '../figures.ts'

export const boardFigure = declareFigures(
  'projects',
  ['/console/projects', '/console/projects?w=7d', '/console/projects?w=all'],
  {
    reach: {
      label: 'Knowledge reach',
      unit: '%',
      definition:
        'Different active memories of these projects that were put before an agent in the window, of all their active memories.',
      leads: 'explanation',
      href: ({ w = '24h' }) => `/console/projects?sort=coverage&group=flat&w=${w}`,
      windowed: true,
      band: AIMS.reach,
    },
    projects: {
      label: 'Projects',
      unit: ['project', 'projects'],
      definition:
        'Projects that are registered or that knowledge, work or a session names. The global scope is none.',
      leads: 'rows',
      href: () => '/console/projects?group=flat',
    },
    working: {
      label: 'At work',
      unit: ['agent', 'agents'],
      definition: 'Sessions that are active and were heard within the idle threshold.',
      leads: 'explanation',
      href: () => '/console/now',
    },
    knowledge: {
      label: 'Active memories',
      unit: ['memory', 'memories'],
      definition: 'Memories that are believed, of all projects and of the global scope.',
      leads: 'rows',
      href: () => '/console/memories?status=active',
    },
    blocked: {
      label: 'Blocked tasks',
      unit: ['task', 'tasks'],
      definition: 'Open tasks that wait for another one, of all projects.',
      leads: 'rows',
      href: () => '/console/tasks?status=blocked',
    },
  },
)

const of = (project = ''): string => encodeURIComponent(project)

export const projectFigure = declareFigures(
  'project',
  ['/console/projects/atlas', '/console/projects/atlas?w=7d', '/console/projects/ledger?w=all'],
  {
    memories: {
      label: 'Memories',
      unit: ['memory', 'memories'],
      definition: 'Memories of this project that are believed.',
      leads: 'rows',
      href: (place) => `/console/memories?project=${of(place.of)}&status=active`,
    },
    sessions: {
      label: 'Sessions',
      unit: ['session', 'sessions'],
      definition: 'Sessions of agents that worked here, in whatever state.',
      leads: 'rows',
      href: (place) => `/console/sessions?project=${of(place.of)}&w=all`,
    },
    tasks: {
      label: 'Unfinished tasks',
      unit: ['task', 'tasks'],
      definition: 'Tasks of this project that are open or in progress, blocked ones among them.',
      leads: 'rows',
      href: (place) => `/console/tasks?project=${of(place.of)}&status=open`,
    },
    reach: {
      label: 'Reach',
      unit: '%',
      definition:
        'Different active memories of this project that were put before an agent in the window, of all its active memories.',
      leads: 'explanation',
      href: ({ w = '24h', of: project }) =>
        `/console/projects/${of(project)}?tab=memories&sort=reach&w=${w}`,
      windowed: true,
      band: AIMS.reach,
    },
    continuity: {
      label: 'Continuity',
      unit: '%',
      definition:
        'Sessions that began here in the window and left findings, a memory, a note or a trial, of all that began.',
      leads: 'explanation',
      href: ({ w = '24h', of: project }) =>
        `/console/projects/${of(project)}?tab=sessions&retained=no&w=${w}`,
      windowed: true,
      band: AIMS.continuity,
    },
  },
)
