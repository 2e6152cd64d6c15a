/**
 * Measures: `npm run bench -- <name> [--json] [name's own options]`.
 *
 *   bridge                 from the start of the bridge to its first answers, in starts of Node alone
 *   calls [--items N,N] [--clients N,N] [--tools A,B] [--databases A,B]
 *                          five calls of 1, 8 and 32 agents, on two sizes of store and both databases
 *   console [--beside A]   tabs beside a busy fleet: how late, how heavy, how steady, while what is written is read by
 *                          what the store learns itself (store), by a played encoder (encoder), or not at all (none)
 *   events                 the rate of durable events with the live feed, in that without it
 *   gardener               what the gardener proposes, in what it ought to: precision and recall of each pass
 *   gardener-load          runs of the gardener over 20,000 memories and 1,000,000 events, with recall beside
 *   gardener-weights       the weights of likeness between memories, fitted to the half that serves tuning
 *   hook                   the whole process of a hook, in starts of the same Node
 *   hooks [--rows N,N]     each hook over HTTP on many memories, in calls of an empty one
 *   learning [--rows N,N]  a model learned from many passages: its time, its memory, recalls beside it, what it finds
 *   mcp                    calls and listings in the SDK's own of the same; start; idle memory
 *   neighbours             whether the own questions would be answered better by what a session wrote side by side
 *   pages [--demo DIR]     pages of a demo store, alone and beside six tabs; its database is LOAM_DATABASE_URL's
 *   plans [--rows N,N]     kept plans of the search in plans of their own, on 100 shapes each
 *   quality [--sets DIR] [--beside A,B]
 *                          how well recall finds, through the product's own tools: by words, and with each
 *                          retriever by meaning beside them (store, random, hashed words); the own questions (own);
 *                          questions of one word (one word); and when others are in demand (demand)
 *   questions              the part of it that asks the own questions, half of them kept apart, with the evidence judged
 *   recall [--rows N,N]    the recall statement, in bare round trips of the same connection
 *   sse                    a thousand readers of the live stream; readers that come and go
 *   tasks                  the queue of 20,000 tasks, edges in a long chain, claims in bare commits
 *   where [--databases A,B]
 *                          where the time of the five calls goes; of both databases it writes docs/figures.md
 *   writes                 a note's writing, in a fsynced file and a commit
 *
 * With `--against DIR [--pairs N]`, mcp, writes and recall are measured beside another checkout, in
 * interleaved pairs (15): the 95 % interval of each median ratio has to end below 1.08. `calls` has limits of its own.
 *
 * Runs on the embedded database, or on a clone in the server of LOAM_TEST_DATABASE_URL. Times are
 * ratios taken in one run; a figure past its limit ends the run with exit code 1.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { CallsOptions } from './calls.ts'

export interface BenchOptions {
  sets: string | undefined
  /** The directory of a demo store; without it one is made. */
  demo: string | undefined
  /** The retrievers by meaning that stand beside the words; what each bench takes when nothing is said. */
  beside: string[] | undefined
  rows: number[]
  log: (line: string) => void
  calls: CallsOptions
}

export interface Report {
  /** What was measured, one object a line of the table. */
  rows: Record<string, string | number>[]
  /** What missed its limit, in words. */
  missed: string[]
}

const BENCHES: Record<string, () => Promise<(options: BenchOptions) => Promise<Report>>> = {
  bridge: async () => (await import('./bridge.ts')).bridgeTimes,
  calls: async () => (await import('./calls.ts')).callTimes,
  console: async () => (await import('./console.ts')).consoleTabs,
  events: async () => (await import('./events.ts')).eventRates,
  gardener: async () => (await import('./gardener.ts')).gardenerQuality,
  'gardener-load': async () => (await import('./gardener-load.ts')).gardenerLoad,
  'gardener-weights': async () => (await import('./gardener-weights.ts')).gardenerWeights,
  hook: async () => (await import('./hook-process.ts')).hookProcesses,
  hooks: async () => (await import('./hooks.ts')).hookTimes,
  learning: async () => (await import('./learning.ts')).learning,
  mcp: async () => (await import('./mcp.ts')).mcpTimes,
  neighbours: async () => (await import('./neighbours.ts')).neighbours,
  pages: async () => (await import('./pages.ts')).pageTimes,
  plans: async () => (await import('./plans.ts')).keptPlans,
  quality: async () => (await import('./quality.ts')).quality,
  questions: async () => (await import('./own.ts')).ownQuestions,
  recall: async () => (await import('./recall.ts')).recallTimes,
  sse: async () => (await import('./sse.ts')).sseTimes,
  tasks: async () => (await import('./tasks.ts')).taskTimes,
  where: async () => (await import('./where.ts')).whereTimeGoes,
  writes: async () => (await import('./writes.ts')).writeTimes,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    sets: { type: 'string' },
    demo: { type: 'string' },
    beside: { type: 'string' },
    rows: { type: 'string', default: '1000,10000,100000' },
    against: { type: 'string' },
    pairs: { type: 'string' },
    items: { type: 'string', default: '1000,10000' },
    clients: { type: 'string', default: '1,8,32' },
    tools: { type: 'string' },
    databases: { type: 'string' },
  },
})

const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
for (const name of names) {
  const load = BENCHES[name]
  if (!load) {
    console.error(`no bench "${name}"; there are ${Object.keys(BENCHES).join(', ')}`)
    process.exit(2)
  }
  const log = (line: string): void => console.error(line)
  const rows = values.rows.split(',').map(Number)
  const { against, pairs } = values
  const calls: CallsOptions = {
    against: against && resolve(against),
    rounds: Number(pairs ?? 7),
    items: values.items.split(',').map(Number),
    clients: values.clients.split(',').map(Number),
    tools: values.tools?.split(','),
    databases: values.databases?.split(','),
  }
  const report =
    against && name !== 'calls'
      ? await (
          await import('./against.ts')
        ).compare(name, {
          against: resolve(against),
          pairs: Number(pairs ?? 15),
          log,
        })
      : await (
          await load()
        )({
          ...{ sets: values.sets, demo: values.demo, beside: values.beside?.split(',') },
          ...{ rows, log, calls },
        })
  if (values.json) console.log(JSON.stringify({ bench: name, ...report }))
  else console.table(report.rows)
  for (const line of report.missed) console.error(`missed: ${line}`)
  if (report.missed.length > 0) process.exitCode = 1
}
process.exit()
