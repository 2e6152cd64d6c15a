// What clients start: a hook, or the headers of a client. Plain JavaScript that any Node understands.
const NEEDED = 24

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  // It finds the right Node and runs this file again.
  await import('./loam.mjs')
} else {
  // An agent waits for this: no module of Node is imported, and compiled code is kept for the next start.
  await import('./code-cache.mjs')
  // A checkout runs from its sources; a package holds them as JavaScript.
  const source = new URL('../src/cli/agent/hook/main.ts', import.meta.url)
  const isThere = process.getBuiltinModule('node:fs').existsSync(source)
  await import(
    isThere ? source.href : new URL('../dist/cli/agent/hook/main.js', import.meta.url).href
  )
}
