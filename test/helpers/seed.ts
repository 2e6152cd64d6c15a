/**
 * The chance of a test run. It is the same in every run, so that a run can be repeated and what it finds
 * is there tomorrow. LOAM_TEST_SEED sets another; `npm run faults` and `npm run attacks` draw a new one.
 */
export const SEED = Number(process.env['LOAM_TEST_SEED'] || 1)
