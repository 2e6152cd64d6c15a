import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './test/helpers/order.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/postgres.ts'],
    setupFiles: ['test/helpers/chance.ts'],
    include: ['test/**/*.test.ts'],
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
    maxWorkers: 2,
    // A worker keeps its modules, its compiled code and its open database from file to file.
    isolate: false,
    // Only what hangs is stopped: how fast anything is, is measured elsewhere.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes soon, and on a busy machine later.
    expect: { poll: { timeout: 60_000 } },
  },
})
