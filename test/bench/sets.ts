import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** Documents, and questions with the documents that answer them. */
export interface RetrievalSet {
  name: string
  docs: { id: string; text: string }[]
  queries: {
    q: string
    rel: string[]
    /** The document that the question was taken from: left out of the results before scoring. */
    src?: string
  }[]
}

const OWN = fileURLToPath(new URL('sets', import.meta.url))

/** Every `<name>.json` and `<name>.json.gz` of a folder; without one, the project's own small set. */
export async function readSets(dir: string = OWN): Promise<RetrievalSet[]> {
  const files = (await readdir(dir)).filter((file) => /\.json(?:\.gz)?$/.test(file)).sort()
  if (files.length === 0) throw new Error(`no .json or .json.gz set in ${dir}`)
  return Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(join(dir, file))
      const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes
      const set = JSON.parse(text.toString()) as Omit<RetrievalSet, 'name'>
      return { name: file.replace(/\.json(?:\.gz)?$/, ''), ...set }
    }),
  )
}
