// Keeps compiled code for the next start, of this thread and of those that it starts. Plain JavaScript that any
// Node understands; it imports no module of Node, since an agent waits for some of its readers.
const { env, platform } = process
const home = platform === 'win32' ? env.LOCALAPPDATA : env.HOME && `${env.HOME}/.cache`
const caches = env.XDG_CACHE_HOME || home
if (caches) env.NODE_COMPILE_CACHE ||= `${caches}/loam/code`
if (env.NODE_COMPILE_CACHE) {
  process.getBuiltinModule?.('node:module').enableCompileCache?.(env.NODE_COMPILE_CACHE)
}
