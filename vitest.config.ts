import { configDefaults, defineConfig } from 'vitest/config'
import { SlowestFirst } from './test/helpers/order.ts'
import { AGAIN, ON_ONE_DATABASE } from './test/helpers/share.ts'

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/postgres.ts', 'test/helpers/joined.ts'],
    setupFiles: ['test/helpers/chance.ts'],
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(AGAIN ? ON_ONE_DATABASE : [])],
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
    maxWorkers: 2,
    // A worker keeps its modules, its compiled code and its open database from file to file.
    isolate: false,
    // Only what hangs is stopped: how fast anything is, is measured elsewhere.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What is waited for comes soon, and on a busy machine later.
    expect: { poll: { timeout: 60_000 } },
  },
})
