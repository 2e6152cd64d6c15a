/** What agents of the demo know, and how some of their sessions went. */
export const demoMemories = [
  {
    name: 'csv-ends-with-a-newline',
    kind: 'constraint',
    project: 'atlas',
    description: 'A file without a final newline loses its last record on import',
    body: 'The reader takes a line for whole only when its end has come. Add the newline before you import.',
  },
  {
    name: 'deploy-window',
    kind: 'convention',
    project: 'atlas',
    description: 'Deploys go out on weekdays between 9 and 15 UTC',
    body: 'Whoever is on call is awake then.',
  },
  {
    name: 'search-index-move',
    kind: 'stage',
    project: 'atlas',
    description: 'The search index is moved to the new cluster',
    body: 'Status: in_progress\nGate: human\n\nHalf of the shards are there. Nobody drops the old ones.',
  },
]

/** `ended`: how it ended; without it the session goes on. */
export const demoSessions = [
  {
    name: 'importer-rows',
    project: 'atlas',
    model: 'opus-5',
    ended: {
      findings:
        'The importer loses the last row of a file without a final newline.\n\n' +
        '- `parse.ts` is mended, with a test for each kind of line end\n' +
        '- the exporter still writes such files\n\n' +
        'Next: the exporter, then the files of last week again.',
      mishaps: [
        'csv-ends-with-a-newline: ran the import before I had read it, and lost eleven rows',
      ],
      tokens: { input: 41_200, cached: 370_800, cache_creation: 12_600, output: 18_400 },
    },
  },
  {
    name: 'invoice-rounding',
    project: 'ledger',
    model: 'gpt-6',
    ended: { findings: 'Totals are rounded once, at the end. Three tests pinned the wrong cent.' },
  },
  { name: 'search-latency', project: 'atlas', model: 'opus-5' },
]
