// Adds up the reports of several runs of the suite: one line, and an exit code that says whether all passed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, ...names] = process.argv.slice(2)
let [passed, failed] = [0, 0]
for (const name of names) {
  const report = readReport(join(folder, `${name}.json`))
  if (!report) {
    console.log(`${name}: no report, so the run counts as one failure`)
    failed += 1
    continue
  }
  passed += report.numPassedTests
  // A file that could not be loaded, or an error outside of any test, fails a run without a failed test.
  failed += Math.max(report.numFailedTests, report.success ? 0 : 1)
  console.log(`${name}: ${report.numPassedTests} passed, ${report.numFailedTests} failed`)
}
if (process.env.LOAM_CI_LINT_FAILED) {
  console.log('lint: 1 failed')
  failed += 1
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
