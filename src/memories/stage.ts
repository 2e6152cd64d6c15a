/** Stages: states of the world that hold until somebody outside acts. Their body opens with a header. */

const STAGE_STATUSES = ['open', 'in_progress', 'blocked', 'done'] as const
const STAGE_GATES = ['human', 'ai'] as const

/** What the header says; '' where it says nothing of the vocabulary. */
export interface StageHeader {
  status: (typeof STAGE_STATUSES)[number] | ''
  gate: (typeof STAGE_GATES)[number] | ''
}

/** As far as a header reaches, in lines. */
const HEADER = 12
/** `Status: open`, in any case, in a list, a quote or a heading, bold or in code quotes. */
const FIELD = /^[-*># \t]*(status|gate)[ \t]*[*_`]*[ \t]*:[ \t*_`]*([^\s*`,;.]*)/i

/** The raw values of a header: the first line that names a field says it. */
function fieldsOf(body: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of body.split('\n', HEADER)) {
    const [, name, value] = FIELD.exec(line.slice(0, 500)) ?? []
    if (name === undefined || value === undefined || fields.has(name.toLowerCase())) continue
    fields.set(name.toLowerCase(), value.toLowerCase())
  }
  return fields
}

const among = <const T extends string>(values: readonly T[], text: string | undefined): T | '' =>
  values.find((value) => value === text) ?? ''

export function stageHeader(body: string): StageHeader {
  const fields = fieldsOf(body)
  return {
    status: among(STAGE_STATUSES, fields.get('status')),
    gate: among(STAGE_GATES, fields.get('gate')),
  }
}

/** Returns what is wrong with the header of a stage, in words for its writer; undefined when nothing is. */
export function stageHint({ kind, body }: { kind: string; body: string }): string | undefined {
  if (kind !== 'stage' || stageHeader(body).status !== '') return undefined
  const status = fieldsOf(body).get('status')
  const wrong = status ? `"${[...status].slice(0, 40).join('')}" is no status` : 'no Status: line'
  return (
    `${wrong}, so no briefing shows this stage as live. Within the first ${HEADER} lines of the ` +
    `body: Status: ${STAGE_STATUSES.join('|')}, and optionally Gate: ${STAGE_GATES.join('|')}`
  )
}
