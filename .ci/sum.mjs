// Adds up the reports of several runs of the suite: what failed in each and why, the totals, and an
// exit code that says whether all passed. A run leaves NAME.json (vitest's report), NAME.outside.json
// (outside.mjs) and NAME.exit (the exit code of the runner).
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Of one failure's message. */
const MOST_LINES = 8

const [folder, ...names] = process.argv.slice(2)
const runs = names.map(readRun)
for (const { name, failures } of runs) {
  for (const { where, why } of failures)
    console.log(`\nfailed in ${name}: ${where}\n${indent(why)}`)
}
console.log()
let [passed, failed] = [0, 0]
for (const run of runs) {
  passed += run.passed
  failed += run.failures.length
  console.log(`${run.name}: ${run.passed} passed, ${run.failures.length} failed`)
}
if (process.env.LOAM_CI_LINT_FAILED) {
  console.log('lint: 1 failed')
  failed += 1
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function readRun(name) {
  const report = readJson(`${name}.json`)
  if (!report) return { name, passed: 0, failures: [{ where: 'the whole run', why: 'no report' }] }
  const failures = [
    ...report.testResults.flatMap(failuresOf),
    ...(readJson(`${name}.outside.json`) ?? []),
  ]
  const exit = readJson(`${name}.exit`) ?? 0
  if (failures.length === 0 && (exit !== 0 || !report.success)) {
    failures.push({ where: 'the whole run', why: `the runner ended with exit code ${exit}` })
  }
  return { name, passed: report.numPassedTests, failures }
}

/** The failed tests of a file, or the file itself, when it could not be loaded or did not finish. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name)
  const tests = assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => ({ where: `${file} > ${test.fullName}`, why: test.failureMessages.join('\n') }))
  if (status !== 'failed' || (tests.length > 0 && !message)) return tests
  return [...tests, { where: file, why: message || 'the file was not finished: its worker ended' }]
}

function indent(text) {
  const lines = stripVTControlCharacters(text).split('\n')
  const shown = lines.slice(0, MOST_LINES).map((line) => `    ${line}`)
  return (lines.length > MOST_LINES ? [...shown, '    …'] : shown).join('\n')
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'))
  } catch {
    return undefined
  }
}
