/**
 * Makes dist/ and packs the `loam` package: `npm run build`. Only to publish it.
 *
 * Node does not strip types below node_modules, so the package holds JavaScript: the same lines
 * with the types blanked out, hence with the same positions and no source maps.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBuild } from '../kernel/build.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Imports, and the files that workers are started from. */
const RELATIVE_TS = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

async function emit(): Promise<void> {
  const source = join(ROOT, 'src')
  const dist = join(ROOT, 'dist')
  await rm(dist, { recursive: true, force: true })
  const names = await readdir(source, { recursive: true })
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.startsWith('dev/'))) {
    const text = stripTypeScriptTypes(await readFile(join(source, name), 'utf8'))
    const target = join(dist, name.replace(/\.ts$/, '.js'))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text.replaceAll(RELATIVE_TS, '$1$2.js$1'))
  }
}

/** Leaves the archive in the folder of the last argument, or in the checkout. */
function pack(): void {
  const [folder] = process.argv.slice(2)
  const options = folder ? ['--pack-destination', folder] : []
  execFileSync('npm', ['pack', '--loglevel=error', ...options], { cwd: ROOT, stdio: 'inherit' })
}

await rm(join(ROOT, 'build.json'), { force: true })
const { commit } = readBuild()
try {
  await emit()
  const build = { commit, built: new Date().toISOString() }
  await writeFile(join(ROOT, 'build.json'), `${JSON.stringify(build)}\n`)
  pack()
} finally {
  // A checkout is asked for its commit; a left-over file would tell an old one.
  await rm(join(ROOT, 'build.json'), { force: true })
}
