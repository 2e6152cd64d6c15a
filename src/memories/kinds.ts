/** What a memory can be, in the order in which kinds are always named. */
export const MEMORY_KINDS = [
  'constraint',
  'convention',
  'runbook',
  'protocol',
  'gotcha',
  'decision',
  'refuted',
  'reference',
  'stage',
] as const
export type MemoryKind = (typeof MEMORY_KINDS)[number]

export const isMemoryKind = (text: string): text is MemoryKind =>
  (MEMORY_KINDS as readonly string[]).includes(text)
