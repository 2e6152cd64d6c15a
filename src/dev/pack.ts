/**
 * Packs the `loam` package: `npm run build`. Only to publish it.
 *
 * Node does not strip types below node_modules, so the package holds JavaScript: the same lines
 * with the types blanked out, hence with the same positions and no source maps. A temporary folder
 * holds it, so that the checkout never contains a second copy of the product.
 */
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBuild } from '../kernel/build.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Imports, and the files that workers are started from. */
const RELATIVE_TS = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

/** Copies the files that the package holds unchanged: those of package.json, and npm's own. */
async function gather(folder: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    files: string[]
  }
  const present = await readdir(ROOT)
  const along = [...files, 'package.json', 'README.md', 'LICENSE']
  for (const name of along.filter((each) => present.includes(each) && each !== 'dist'))
    await cp(join(ROOT, name), join(folder, name), { recursive: true })
}

async function emit(folder: string): Promise<void> {
  const source = join(ROOT, 'src')
  const names = await readdir(source, { recursive: true })
  for (const name of names.filter((each) => each.endsWith('.ts') && !each.startsWith('dev/'))) {
    const text = stripTypeScriptTypes(await readFile(join(source, name), 'utf8'))
    const target = join(folder, 'dist', name.replace(/\.ts$/, '.js'))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, text.replaceAll(RELATIVE_TS, '$1$2.js$1'))
  }
  // What the code reads from beside itself.
  for (const name of names.filter((each) => each.endsWith('.json')))
    await cp(join(source, name), join(folder, 'dist', name))
}

/** The folder of the archive: the argument, or dist/. */
const target = resolve(process.argv[2] ?? join(ROOT, 'dist'))
const folder = await mkdtemp(join(tmpdir(), 'loam-pack-'))
try {
  await gather(folder)
  await emit(folder)
  const { commit } = readBuild()
  const build = JSON.stringify({ commit, built: new Date().toISOString() })
  await writeFile(join(folder, 'build.json'), `${build}\n`)
  await mkdir(target, { recursive: true })
  const pack = ['pack', '--loglevel=error', '--pack-destination', target]
  execFileSync('npm', pack, { cwd: folder, stdio: 'inherit' })
} finally {
  await rm(folder, { recursive: true, force: true })
}
