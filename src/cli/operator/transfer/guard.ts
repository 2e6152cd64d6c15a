/**
 * The guard of what an import brings in. The operator reads its report: under `warn` that names what looks
 * like a credential, under `refuse` such a text is left out. What everything hangs on, rows and the files of
 * projects, comes in with the credential masked.
 */
import type { Kernel } from '../../../kernel/kernel.ts'
import { rewriteTexts } from '../../../projects/projects.ts'
import { contentHash } from '../../../vault/paths.ts'
import { noticeSecrets, refusesText } from '../../../text/secret-policy.ts'
import { maskSecrets, maskValue } from '../../../text/secrets.ts'
import type { Imported } from './report.ts'
import type { TableRows } from './rows.ts'

/** Notes in the report what the texts of an item hold. Throws a Refusal when it may not come in. */
export function guardItem(
  kernel: Kernel,
  called: string,
  texts: readonly string[],
  report: Imported,
): void {
  const { secret_hint } = noticeSecrets(kernel, texts)
  if (secret_hint) report.warnings.push(`${shown(called)}: ${secret_hint}`)
}

/** Returns the name of an item as a warning may show it. */
export const shown = (called: string): string => maskSecrets(called).slice(0, 80)

/** Returns the bytes of a project's file as they may come in. */
export function guardProject(
  kernel: Kernel,
  path: string,
  bytes: Buffer,
  report: Imported,
): Buffer {
  const text = bytes.toString('utf8')
  if (!refusesText(kernel, text)) {
    guardItem(kernel, path, [text], report)
    return bytes
  }
  report.warnings.push(`${path}: what looks like a credential was masked`)
  return rewriteTexts({ path, bytes, hash: contentHash(bytes) }, maskSecrets)
}

/** Returns the rows as they may come in. */
export function guardRows(kernel: Kernel, tables: TableRows, report: Imported): TableRows {
  const guarded: TableRows = new Map()
  for (const [table, rows] of tables) {
    const read = rows.map((row) => guardRow(kernel, row))
    const held = read.filter((row, at) => row !== rows[at]).length
    if (held > 0)
      report.warnings.push(`${table}: what looks like a credential was masked in ${held} rows`)
    guarded.set(table, read)
  }
  return guarded
}

function guardRow(kernel: Kernel, row: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(row)
  if (!refusesText(kernel, text)) return row
  return maskValue(row, maskSecrets) as Record<string, unknown>
}
