// An import would load far more of Node than a bridge needs, for whose start a client waits.
const { readFileSync } = process.getBuiltinModule('node:fs')

/** What is running. Shown by /healthz, `loam version` and the MCP handshake. */
export interface Build {
  version: string
  /** The commit it was made from; empty when nobody knows. */
  commit: string
  /** When, RFC 3339; empty when it runs from its sources. */
  built: string
}

const ROOT = new URL('../../', import.meta.url)

/** `build.json` is written when the product is packed; a checkout is asked for its commit. */
export function readBuild(): Build {
  const { version } = JSON.parse(text('package.json')) as { version: string }
  const packed = text('build.json')
  const { commit = headCommit(), built = '' } = packed ? (JSON.parse(packed) as Partial<Build>) : {}
  return { version, commit, built }
}

function headCommit(): string {
  const head = text('.git/HEAD').trim()
  const [, ref] = /^ref: (\S+)$/.exec(head) ?? []
  if (!ref) return head
  const packed = text('.git/packed-refs').split('\n')
  const line = packed.find((each) => each.endsWith(` ${ref}`)) ?? ''
  return text(`.git/${ref}`).trim() || line.split(' ')[0]!
}

function text(path: string): string {
  try {
    return readFileSync(new URL(path, ROOT), 'utf8')
  } catch {
    return ''
  }
}
