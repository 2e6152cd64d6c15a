// What vitest's report of a run says of its files.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Undefined where there is none, or none that can be read. */
export const readReport = (folder, name) => readJson(folder, `${name}.json`)

export function readJson(folder, file) {
  try {
    return JSON.parse(readFileSync(join(folder, file), 'utf8'))
  } catch {
    return undefined
  }
}

export const fileOf = ({ name }) => relative(process.cwd(), name)

/** The failed tests of a file, or the file itself, when it could not be loaded or did not finish. */
export function failuresOf(result) {
  const file = fileOf(result)
  const { status, message, assertionResults } = result
  const tests = assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => ({ where: `${file} > ${test.fullName}`, why: test.failureMessages.join('\n') }))
  if (status !== 'failed' || (tests.length > 0 && !message)) return tests
  return [...tests, { where: file, why: message || 'the file was not finished: its worker ended' }]
}

/** What passed in it: each test, and the file itself where all of it did. */
export function passesOf(result) {
  const file = fileOf(result)
  const tests = result.assertionResults
    .filter((test) => test.status === 'passed')
    .map((test) => `${file} > ${test.fullName}`)
  return result.status === 'passed' ? [...tests, file] : tests
}
