// Prints the files of a run of the suite in which a test failed, each on a line. None, when they are so many that chance
// is not the cause.
import { failuresOf, fileOf, readReport } from './report.mjs'

const MOST_FILES = 3

const [folder, name] = process.argv.slice(2)
const files = (readReport(folder, name)?.testResults ?? [])
  .filter((result) => failuresOf(result).length > 0)
  .map(fileOf)
if (files.length <= MOST_FILES) for (const file of files) console.log(file)
