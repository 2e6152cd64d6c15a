// Joins the code of a program for its next start: `node join-code.mjs <main>`. It comes last on a busy machine, and
// where it fails the next start reads the sources, as this one did.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { looksLike, placeOf } from './joined-code.mjs'

/** A service keeps on reading from the files that it was started from, so they stay for long. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000
/** Clocks of file systems are coarse. */
const COARSE_MS = 100
const ALL = { recursive: true, force: true }

const main = resolve(process.argv[2])
const { folder, name, list } = placeOf(main)

/** A module finds what lies beside it where it was, and the bundler itself is not joined. */
const inTheirPlaces = {
  name: 'in their places',
  setup(build) {
    build.onResolve({ filter: /^esbuild$/ }, () => ({
      path: pathToFileURL(createRequire(import.meta.url).resolve('esbuild')).href,
      external: true,
    }))
    build.onLoad({ filter: /\.[jt]s$/ }, async ({ path }) => {
      if (!path.startsWith(dirname(main) + sep)) return
      const text = await readFile(path, 'utf8')
      const own = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', own), loader: path.slice(-2) }
    })
  },
}

setPriority(constants.priority.PRIORITY_LOW)
await joinCode()
await removeOld()

async function joinCode() {
  const began = Date.now()
  const target = join(folder, `${name}-${began}-${process.pid}`)
  await mkdir(target, { recursive: true, mode: 0o700 })
  const { build, stop } = await import('esbuild')
  const { metafile } = await build({
    entryPoints: { main },
    outdir: target,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is loaded only when it is used stays so.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(main)});`,
    },
    plugins: [inTheirPlaces],
  })
  await stop()
  const paths = [...Object.keys(metafile.inputs), ...Object.keys(metafile.outputs)]
  const files = {}
  for (const path of paths.map((each) => resolve(each))) {
    const { ctimeMs } = await stat(path)
    // It may have changed since it was read.
    if (ctimeMs > began - COARSE_MS && !path.startsWith(target + sep)) return rm(target, ALL)
    files[path] = looksLike(path)
  }
  const made = `${list}.${process.pid}`
  await writeFile(made, JSON.stringify({ folder: target, files }))
  await rename(made, list)
}

async function removeOld() {
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry)
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, ALL)
  }
}
