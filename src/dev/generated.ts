import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** Writes a generated file. With `--check` only the exit code says whether it is up to date. */
export async function writeOrCheck(file: URL, text: string): Promise<void> {
  if (!process.argv.includes('--check')) return writeFile(file, text)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  console.error(`${basename(file.pathname)} is out of date: npm run docs`)
  process.exitCode = 1
}
