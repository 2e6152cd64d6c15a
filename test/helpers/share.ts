/** Whether the long faults and attacks run as well, and what else takes minutes runs in full. `.ci/run` sets it. */
export const LONG = Boolean(process.env['LOAM_TEST_LONG'])

/** Why they are skipped where it is not set. */
export const tooLong = 'it runs in .ci/run, and where LOAM_TEST_LONG=1 is set'
