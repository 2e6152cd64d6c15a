/** The product within this process: for attacks that must know every route that is registered. */
import { pino } from 'pino'
import { buildApp, type App } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openFolder } from '../helpers/folder.ts'
import { KEY } from './product.ts'

export interface InProcess extends AsyncDisposable {
  url: string
  key: string
  app: App
  /** `METHOD /path` of every route, with `*` and `:name` filled in. */
  routes: { method: string; path: string }[]
}

export async function openInProcess(): Promise<InProcess> {
  const folder = await openFolder()
  const env = { HOME: folder.path, LOAM_DATA_DIR: folder.path, LOAM_MCP_API_KEY: KEY }
  const { config } = await loadConfig({ cwd: folder.path, env })
  const log = pino({ level: 'silent' })
  const app = await buildApp(config, { log, database: await openTestDatabase({ log }) })
  const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    key: KEY,
    app,
    routes: routesOf(app.app.printRoutes()),
    async [Symbol.asyncDispose]() {
      await app.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** `├── /api/mcp (POST)`, each level four characters deep. */
function routesOf(printed: string): InProcess['routes'] {
  const stack: string[] = []
  return printed.split('\n').flatMap((line) => {
    const [, indent = '', rest = ''] = /^((?:│ {3}| {4})*)[├└]── (.*)$/.exec(line) ?? []
    if (rest === '') return []
    const [, part = '', methods = ''] = /^(.*?)(?: \(([^)]*)\))?$/.exec(rest) ?? []
    const depth = indent.length / 4
    stack.splice(depth, Infinity, part)
    const path = stack.join('').replaceAll('*', 'x').replaceAll(/:\w+/g, 'x')
    const names = methods.split(',').map((method) => method.trim())
    return names.filter((method) => method !== '').map((method) => ({ method, path }))
  })
}
