import { wireProject } from '../../projects/projects.ts'

export const BASE = '/console/plans'

/** The page of a plan. Several projects may have one of its slug. */
export const addressOf = ({ plan, project }: { plan: string; project: string }): string =>
  `${BASE}/${encodeURIComponent(plan)}?project=${encodeURIComponent(wireProject(project))}`
