/** Whether the long faults and attacks run as well. `.ci/run` sets it. */
export const LONG = Boolean(process.env['LOAM_TEST_LONG'])

/** Why they are skipped where it is not set. */
export const tooLong = 'it runs in .ci/run, and where LOAM_TEST_LONG=1 is set'

/** Whether the suite has run on another database just now. `.ci/run` sets it for its second one. */
export const AGAIN = Boolean(process.env['LOAM_TEST_AGAIN'])

/** Whether what takes minutes runs in full: once, where the long ones run. */
export const WHOLE = LONG && !AGAIN

/** Why what no database changes is skipped then. */
export const ranBefore = 'nothing of it goes by the database, and it ran on the other one'

/** The files of which nothing goes by the database that the run is given: they need none, or bring one of their own. Globs. */
export const ON_ONE_DATABASE = [
  'test/bench/**',
  'test/chat/chat.test.ts',
  'test/cli/{bridge,hook,hook-clients,hook-process,hook-registry,hook-subagent}.test.ts',
  'test/cli/install/**',
  'test/cli/packaging.test.ts',
  'test/config/**',
  'test/console/{bundles,kept-parts,markdown,morph,rows,tokens}.test.ts',
  'test/dev/towns.test.ts',
  'test/embeddings/svd.test.ts',
  'test/gardener/{labelled-pairs,request_grammar,signature,template}.test.ts',
  // The others of them read the code; these ask the database.
  'test/house/!(empty-tables|partial-indexes|routes|swept).test.ts',
  'test/kernel/{held,pending,schema,together}.test.ts',
  'test/passages/{cut,words}.test.ts',
  'test/postgres/{embedded,light-parser}.test.ts',
  'test/text/**',
]
