/** A handful of notes as a team's agents leave them: some short, some long, some changed later. */
export interface DemoNote {
  title: string
  body: string
  project: string
  description?: string
  tags?: string[]
  plan?: string
  source_url?: string
  edits?: { old_string: string; new_string: string }[]
  appended?: string[]
  [key: string]: unknown
}

export const demoNotes: readonly DemoNote[] = [
  {
    title: 'CSV importer drops the last row',
    project: 'atlas',
    description: 'A file without a final newline loses its last record; found, explained and fixed',
    tags: ['importer', 'bug', 'csv'],
    plan: 'importer-hardening',
    body: `# What was seen

Customers reported one missing order per upload. Only files written by spreadsheet exports were affected.

## Cause

The reader emits a record **on the newline**, and the buffer that is left at the end of the stream is dropped:

\`\`\`typescript
for await (const chunk of stream) {
  buffer += chunk
  const lines = buffer.split('\\n')
  buffer = lines.pop() ?? ''
  for (const line of lines) yield parse(line)
}
// nothing emits the rest of the buffer
\`\`\`

## Fix

Emit what is left when the stream ends, unless it is blank. Covered by \`importer.test.ts\`, with and without \`\\r\\n\`.

| File | Rows before | Rows after |
|---|---:|---:|
| orders-2026-10.csv | 4,211 | 4,212 |
| returns-2026-10.csv | 318 | 319 |
| stock.csv | 12,004 | 12,004 |

> The header line has the same problem when a file holds nothing else.
`,
    appended: ['Rolled out to all tenants; 37 files were imported again, 35 rows recovered.'],
  },
  {
    title: 'Deploy window and freeze days',
    project: 'atlas',
    description: 'When it is fine to ship, and whom to ask when it is not',
    tags: ['deploy'],
    body: `Ship **Monday to Thursday, 08:00–15:00 UTC**. Network of that somebody who can roll back must be awake.

1. Check the error budget on the board.
2. Announce in the release thread; the message names the commit and the person.
3. Watch the canary for ten minutes. A p95 above 250 ms goes back.

Freeze days: the last three working days of a quarter, and 20 December to 3 January.
`,
    edits: [{ old_string: 'ten minutes', new_string: 'fifteen minutes' }],
  },
  {
    title: 'Search latency study',
    project: 'atlas',
    description: 'p95 before and after the passage index, on the October log',
    tags: ['performance', 'search'],
    plan: 'search-under-50ms',
    body: `Replayed 20,000 queries of the October log against both indexes, warm, on the same machine.

| Percentile | Whole documents | Passages |
|---|---:|---:|
| p50 | 31 ms | 9 ms |
| p95 | 184 ms | 38 ms |
| p99 | 420 ms | 71 ms |

The long tail was *three words or more on a large tenant*: the planner read every match before it ranked one. Rarest word first ends that.

**Recommendation**: switch all tenants; keep the old index for one release.
`,
  },
  {
    title: 'Retry policy for the payment provider',
    project: 'ledger',
    description: 'Which failures may be tried again without charging twice',
    tags: ['payments', 'reliability'],
    body: `Only these are safe to retry, with the **same idempotency key**:

- connection refused or reset before the first byte
- 429, after \`Retry-After\`
- 503 with the header \`x-not-executed: true\`

A timeout is *not* among them. Ask \`GET /charges?key=…\` first; the answer is authoritative after 90 seconds.
`,
  },
  {
    title: 'Invoice numbering across two regions',
    project: 'ledger',
    description: 'Why numbers have gaps, and why that is allowed',
    tags: ['invoices', 'decision-record'],
    body: `## Decision

Each region draws from a block of 1,000 numbers. Gaps stay; they are listed in the monthly report.

## Rejected

A single counter: 140 ms across the ocean for every invoice, and none at all while the link is down.
`,
  },
  {
    title: 'How agents should name their branches',
    project: 'global',
    description: 'One form for every repository',
    tags: ['convention', 'git'],
    body: `\`<type>/<ticket>-<three-words>\`, for example \`fix/A-412-csv-last-row\`.

Types: \`fix\`, \`feat\`, \`docs\`, \`chore\`. No names of people, no dates.
`,
  },
  {
    title: 'Reading list: write-ahead logs',
    project: 'global',
    description: 'Four texts that explain why fsync before rename matters',
    tags: ['reading', 'storage'],
    source_url: 'https://example.org/wal-reading-list',
    body: `- *Crash consistency*, the chapter on ordering
- The notes on \`rename(2)\` and directory entries
- What a disk says it did, and what it did
- Why a lock does not fence a file system
`,
  },
  {
    title: 'Orders worker runs in local time',
    project: 'orders',
    description: 'Late orders were skipped for one hour a year; set TZ=UTC',
    tags: ['gotcha', 'time'],
    body: `The worker compares \`now()\` with a column **without** a time zone. On the night the clocks change, an hour of orders looks as if it lay in the future.

\`\`\`ini
[Service]
Environment=TZ=UTC
\`\`\`

Seen twice, in March and in October.
`,
  },
  {
    title: 'Queue batching, measured',
    project: 'orders',
    description: 'Batches of 64 are the knee of the curve',
    tags: ['performance', 'queue'],
    plan: 'queue-batching',
    body: `| Batch | Orders/s | p99 |
|---:|---:|---:|
| 1 | 410 | 21 ms |
| 16 | 3,120 | 24 ms |
| 64 | 5,870 | 31 ms |
| 256 | 6,040 | 96 ms |

64 it is. Beyond that the latency pays for nothing.
`,
  },
  {
    title: 'Postmortem: the empty dashboard of 9 November',
    project: 'atlas',
    description:
      'A late mount looked like deleted data; nothing was lost, and it cannot happen again',
    tags: ['postmortem', 'storage'],
    body: `## Timeline (UTC)

- **06:02** the host restarts after a kernel update
- **06:03** the service starts before the volume is mounted and sees an empty directory
- **06:04** reconcile finds 8,412 files gone and, as designed, drops nothing
- **06:31** the volume is mounted; everything is there

## What helped

The store's id is kept in the directory *and* in the database. Without a match nothing is served.

## What we change

The unit waits for the mount. The alert now says "storage is missing" instead of "no data".
`,
  },
]
