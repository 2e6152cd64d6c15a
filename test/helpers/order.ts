/**
 * The order of the files. vitest begins with those that took longest the last time, and in a fresh clone with
 * those of most bytes: then the short files that take minutes come last, and one worker waits for the other.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** From the slowest down, with files that open a browser apart from each other: each of them fills both processors. */
const FIRST = [
  'faults/faults',
  'attacks/attacks',
  // It fills the stores that the look opens too.
  'console/rows',
  'console/browser',
  'projects/matrix',
  'hooks/told',
  'cli/damaged-store',
  'embeddings/service',
  'postgres/embedded',
  'console/look',
  'embeddings/learned',
  'console/settings-forms',
  'console/live',
  'cli/service',
  'console/interactions-browser',
  'console/settings-browser',
  'console/walks',
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
