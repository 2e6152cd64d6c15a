import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Whether a test may put a disk of its own somewhere: for root alone, and not in every container. */
export const mayMount = await run('unshare', ['--mount', 'true']).then(
  () => process.getuid?.() === 0,
  () => false,
)

/** Puts a disk of that size over an empty folder. Returns what takes it away. */
export async function mountSmallDisk(
  folder: string,
  size: string,
): Promise<() => Promise<unknown>> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder])
  return () => run('umount', ['-l', folder])
}
