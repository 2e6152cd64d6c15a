// Adds up the reports of several runs of the suite: what failed in each and why, what passed only when it was asked
// again by itself, the totals, and an exit code that says whether all passed. A run leaves NAME.json (vitest's report),
// NAME.outside.json (outside.mjs), NAME.exit (the exit code of the runner), and NAME.again.json where files were asked again.
import { stripVTControlCharacters } from 'node:util'
import { failuresOf, passesOf, readJson, readReport } from './report.mjs'

/** Of one failure's message. */
const MOST_LINES = 8

const [folder, ...names] = process.argv.slice(2)
const runs = names.map(readRun)
for (const { name, failures, unsteady } of runs) {
  for (const { where, why } of failures)
    console.log(`\nfailed in ${name}: ${where}\n${indent(why)}`)
  for (const { where, why } of unsteady)
    console.log(`\nfailed in ${name}, and passed by itself: ${where}\n${indent(why)}`)
}
console.log()
let [passed, failed] = [0, 0]
for (const run of runs) {
  passed += run.passed
  failed += run.failures.length
  const { length } = run.unsteady
  const again = length > 0 ? `, ${length} passed only when asked again` : ''
  console.log(`${run.name}: ${run.passed} passed, ${run.failures.length} failed${again}`)
}
if (process.env.LOAM_CI_LINT_FAILED) {
  console.log('lint: 1 failed')
  failed += 1
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function readRun(name) {
  const report = readReport(folder, name)
  if (!report) {
    return {
      name,
      passed: 0,
      failures: [{ where: 'the whole run', why: 'no report' }],
      unsteady: [],
    }
  }
  const again = new Set((readReport(folder, `${name}.again`)?.testResults ?? []).flatMap(passesOf))
  const all = report.testResults.flatMap(failuresOf)
  const outside = readJson(folder, `${name}.outside.json`) ?? []
  const failures = [...all.filter(({ where }) => !again.has(where)), ...outside]
  const exit = readJson(folder, `${name}.exit`) ?? 0
  if (all.length + outside.length === 0 && (exit !== 0 || !report.success)) {
    failures.push({ where: 'the whole run', why: `the runner ended with exit code ${exit}` })
  }
  const unsteady = all.filter(({ where }) => again.has(where))
  return { name, passed: report.numPassedTests, failures, unsteady }
}

function indent(text) {
  const lines = stripVTControlCharacters(text).split('\n')
  const shown = lines.slice(0, MOST_LINES).map((line) => `    ${line}`)
  return (lines.length > MOST_LINES ? [...shown, '    …'] : shown).join('\n')
}
