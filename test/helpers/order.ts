/**
 * The order of the files. vitest begins with those that took longest the last time, and in a fresh clone with
 * those of most bytes: then the short files that take minutes come last, and one worker waits for the other.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** From the slowest down. */
const FIRST = [
  'faults/faults',
  'attacks/attacks',
  'projects/matrix',
  'console/browser',
  'hooks/told',
  'cli/service',
  'cli/damaged-store',
]

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return at < 0 ? FIRST.length : at
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
