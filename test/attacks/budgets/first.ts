/** What lies in the store before the first call: large and hostile already. */

const KIB = 1024
const filled = (piece: string, bytes: number): string =>
  piece.repeat(Math.floor(bytes / piece.length))

const BODIES = [
  'q',
  'q'.repeat(1_000_000),
  filled('# a\n\nb ', 300 * KIB),
  filled('*a **b ', 64 * KIB),
  filled('[', 64 * KIB),
  filled('> ', 64 * KIB),
  filled('  - a\n', 64 * KIB),
  filled('|a|b\n|-|-\n', 300 * KIB),
  `\`\`\`js\n${filled('a(b)`', 20_000)}`,
  filled('<a href="http://a.b/">&amp;', 200 * KIB),
  filled('http://a.b/ c@d.e ', 200 * KIB),
  filled('猫検', 200 * KIB),
  filled('\u0301', 100 * KIB),
  filled('line\n', 700 * KIB),
  Array.from({ length: 40_000 }, (_, at) => `word${at}`).join('\n'),
]

export const FIRST: readonly (readonly [tool: string, args: object])[] = [
  ...BODIES.map(
    (body, at) => ['notes_create', { title: `Body ${at}`, body, project: 'atlas' }] as const,
  ),
  ...BODIES.map(
    (body, at) =>
      [
        'memory_write',
        {
          name: `m ${at}`,
          kind: 'gotcha',
          description: 'd',
          body: body.slice(0, 4_000),
          project: 'atlas',
        },
      ] as const,
  ),
  ...[0, 1, 2, 3].map((at) => ['session_start', { name: `s ${at}`, project: 'atlas' }] as const),
  ...[0, 1, 2, 3, 4].map((at) => ['tasks_add', { title: `Task ${at}`, project: 'atlas' }] as const),
  ['lab_open', { lab: 'harbour' }],
  ['trial_record', { title: 'A trial', lab: 'harbour', project: 'atlas' }],
]
