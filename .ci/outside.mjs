// A reporter of vitest for what the JSON report keeps silent about: errors outside of any test, such as
// a promise that was rejected and that nobody awaited. It writes them beside that report.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

export default class Outside {
  onInit(vitest) {
    this.file = vitest.config.outputFile.json.replace(/\.json$/, '.outside.json')
  }

  onTestRunEnd(_modules, errors) {
    writeFileSync(this.file, JSON.stringify(errors.map(failureOf)))
  }
}

/** vitest knows the file and the test that ran at that moment, which need not be the cause. */
function failureOf({ type, name, message, stack, VITEST_TEST_PATH: path, VITEST_TEST_NAME: test }) {
  const during = [path && relative(process.cwd(), path), test].filter(Boolean).join(' > ')
  const why = stack?.includes(message) ? stack : `${name}: ${message}\n${stack ?? ''}`
  return { where: `outside of the tests${during && `, during ${during}`}`, why: `${type}: ${why}` }
}
