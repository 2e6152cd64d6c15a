import type { Isolation } from '../../../projects/projects.ts'

/** The projects of Wrenfield, a small company that delivers parcels and collects what they cost. */
export interface DemoProject {
  slug: string
  name: string
  description: string
  isolation: Isolation
  /** Whose memories it inherits. */
  parent?: string
  /** How much of the work happens there. */
  weight: number
}

export const projects: readonly DemoProject[] = [
  {
    slug: 'atlas',
    name: 'Atlas',
    description: 'Orders, routes and parcels: the core service and its API',
    isolation: 'open',
    weight: 10,
  },
  {
    slug: 'atlas-web',
    name: 'Atlas Web',
    description: 'The dispatchers’ screens on top of Atlas',
    isolation: 'open',
    parent: 'atlas',
    weight: 5,
  },
  {
    slug: 'billing',
    name: 'Billing',
    description: 'Invoices, refunds and the payment providers',
    isolation: 'open',
    weight: 7,
  },
  {
    slug: 'mobile-app',
    name: 'Mobile App',
    description: 'What couriers carry: scans, signatures, cash; works without a network',
    isolation: 'open',
    weight: 6,
  },
  {
    slug: 'auth-service',
    name: 'Auth Service',
    description: 'Sign-in, tokens and roles for everything else',
    isolation: 'open',
    weight: 4,
  },
  {
    slug: 'infra',
    name: 'Infrastructure',
    description: 'Clusters, pipelines, backups and what wakes people at night',
    isolation: 'open',
    weight: 6,
  },
  {
    slug: 'data-warehouse',
    name: 'Data Warehouse',
    description: 'Nightly models for finance and operations',
    isolation: 'open',
    weight: 4,
  },
  {
    slug: 'docs',
    name: 'Docs',
    description: 'Handbook and public API reference',
    isolation: 'open',
    weight: 2,
  },
  {
    slug: 'ledger',
    name: 'Ledger',
    description: 'Double-entry books; what each customer owes',
    isolation: 'confidential',
    weight: 2,
  },
  {
    slug: 'crypt',
    name: 'Crypt',
    description: 'Key rotation and who holds what',
    isolation: 'sealed',
    weight: 1,
  },
  {
    slug: 'route-planner-v1',
    name: 'Route Planner v1',
    description: 'The old planner; its work moved into Atlas',
    isolation: 'open',
    weight: 0,
  },
]

/** Projects that see each other's findings. */
export const families: Record<string, string[]> = {
  screens: ['atlas-web', 'docs', 'mobile-app'],
  platform: ['auth-service', 'data-warehouse', 'infra'],
}

/** Out of use, and kept for what was learned there. */
export const RETIRED = 'route-planner-v1'

/** Where the agents have their checkouts. */
export const checkoutOf = (slug: string): string => `/home/mara/src/${slug}`
export const remoteOf = (slug: string): string => `git@git.wrenfield.example:wrenfield/${slug}.git`
