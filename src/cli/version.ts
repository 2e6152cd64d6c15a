import { readBuild } from '../kernel/build.ts'

export function printVersion(): void {
  const { version, commit, built } = readBuild()
  const details = [commit.slice(0, 12), built, `Node ${process.versions.node}`]
  console.log(`loam ${version} (${details.filter(Boolean).join(', ')})`)
}
