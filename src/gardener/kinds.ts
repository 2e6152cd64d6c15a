/** What the gardener may propose, in the order of lists. */
export const PROPOSAL_KINDS = [
  'merge',
  'archive',
  'digest',
  'consolidate',
  'reproject',
  'split',
  'abandon_plan',
  'memory_wanted',
  'tool_error',
  'rekind',
] as const
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

const PROPOSAL_STATUSES = ['pending', 'applied', 'dismissed', 'hidden'] as const
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number]
