/** The figures of a lab: what each counts, and where it leads. */
import { declareFigures, type Place } from '../figures.ts'
import { hrefOf } from './address.ts'
import { trialsHref } from './list.ts'

const trials = ({ of: lab = '' }: Place): string => trialsHref({ lab })
const passed = (place: Place): string => `${trials(place)}&outcome=pass`
const explained =
  (name: string) =>
  ({ of: lab = '' }: Place): string =>
    `${hrefOf(lab)}#figure-labs-${name}`

export const labFigure = declareFigures('labs', ['/console/labs/{id}'], {
  trials: {
    label: 'Trials',
    unit: ['trial', 'trials'],
    definition: 'All trials that carry the name of the lab, of all projects.',
    leads: 'rows',
    href: trials,
  },
  passed: {
    label: 'Passed',
    unit: '%',
    definition: 'Trials whose outcome is “pass”, of all trials of the lab.',
    leads: 'explanation',
    href: passed,
  },
  sessions: {
    label: 'Sessions',
    unit: ['session', 'sessions'],
    definition: 'Different sessions that recorded a trial of the lab.',
    leads: 'explanation',
    href: explained('sessions'),
  },
  projects: {
    label: 'Projects',
    unit: ['project', 'projects'],
    definition:
      'Different projects in which a trial of the lab was recorded, the global scope among them.',
    leads: 'explanation',
    href: explained('projects'),
  },
})
