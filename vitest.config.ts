import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/postgres.ts'],
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Only what hangs is stopped: how fast anything is, is measured elsewhere.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
