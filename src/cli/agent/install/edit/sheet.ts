/**
 * One file of a client, and what of ours belongs into it. What is ours is put in, mended or taken out, and
 * nothing of anybody else's is touched.
 */
import { isDeepStrictEqual } from 'node:util'
import { invalid, Refusal } from '../../../../kernel/refusal.ts'
import { digest, readIfThere, removeFile, writeOver } from './file.ts'
import { treeOf, valueOf } from './json.ts'
import { putLists, takeLists } from './lists.ts'
import { putMember, takeMember } from './members.ts'
import type { Draft, Outcome, Part, Sheet } from './parts.ts'
import { hunksOf, type Receipts, undone } from './receipts.ts'
import { putTable, takeTable } from './tables.ts'

/** Brings a file in line, with the parts that are wanted. Returns what became of each. */
export async function putSheet(
  sheet: Sheet,
  receipts: Receipts,
  wanted: (part: Part) => boolean = () => true,
): Promise<Record<string, Outcome>> {
  const asked = { ...sheet, parts: sheet.parts.filter(wanted) }
  for (let tries = 0; tries < 5; tries++) {
    const before = await readIfThere(sheet.path)
    const receipt = receipts.of(sheet.path)
    const draft = attempt(sheet, () => put(asked, before ?? ''))
    if (draft.text === (before ?? '')) return draft.outcomes
    // What a later removal gives back: the file as it would be without anything of ours.
    const base =
      (receipt && before !== undefined ? undone(before, receipt) : undefined) ??
      attempt(sheet, () => take(sheet, before ?? '', receipt?.made)).text
    const written = await writeOver(sheet.path, before, draft.text)
    if (!written) continue
    receipts.keep(sheet.path, {
      after: digest(draft.text),
      hunks: hunksOf(base, draft.text),
      made: [...(receipt?.made ?? []), ...draft.made],
      missing: before === undefined || (receipt?.missing ?? false),
    })
    receipts.made(written.folders)
    return draft.outcomes
  }
  throw invalid(`${sheet.path} is being changed by somebody else all the time; try again`)
}

/**
 * Takes what is ours out of a file. Returns the parts that were there. `dry` changes nothing; without `whole`
 * there are parts of ours that are to stay.
 */
export async function takeSheet(
  sheet: Sheet,
  receipts: Receipts,
  { dry = false, whole = true }: { dry?: boolean; whole?: boolean } = {},
): Promise<string[]> {
  for (let tries = 0; tries < 5; tries++) {
    const receipt = receipts.of(sheet.path)
    const before = await readIfThere(sheet.path).catch((error: unknown) => {
      if (receipt || !(error instanceof Refusal)) throw error
      return ''
    })
    // Whatever is wrong with a file that never held anything of ours is none of our business.
    if (before !== undefined && !receipt && !/loam|\/api\//.test(before)) return []
    if (before === undefined) {
      if (!dry) await forget(sheet, receipts)
      return []
    }
    const { text, outcomes } = attempt(sheet, () => take(sheet, before, receipt?.made))
    const taken = Object.keys(outcomes)
    if (dry) return taken
    const base = (whole && receipt ? undone(before, receipt) : undefined) ?? text
    const ours = receipt?.missing ?? sheet.format === 'text'
    if (ours && isEmpty(sheet, base)) {
      await forget(sheet, receipts)
      return taken
    }
    if (base !== before && !(await writeOver(sheet.path, before, base))) continue
    if (whole) receipts.keep(sheet.path, undefined)
    return taken
  }
  throw invalid(`${sheet.path} is being changed by somebody else all the time; try again`)
}

async function forget(sheet: Sheet, receipts: Receipts): Promise<void> {
  await removeFile(sheet.path)
  receipts.keep(sheet.path, undefined)
}

/** Without changing anything: what an installation would do to each part. */
export async function lookAt(sheet: Sheet): Promise<Record<string, Outcome>> {
  const before = await readIfThere(sheet.path)
  return attempt(sheet, () => put(sheet, before ?? '')).outcomes
}

function put(sheet: Sheet, text: string): Draft {
  const draft: Draft = { text, made: [], outcomes: {} }
  if (sheet.format === 'text') return putText(sheet, draft)
  for (const part of sheet.parts) {
    if (sheet.format === 'toml') putTable(draft, part)
    else if (part.kind === 'lists') putLists(draft, part)
    else putMember(draft, part)
  }
  return draft
}

function take(sheet: Sheet, text: string, made: string[][] | undefined): Draft {
  const draft: Draft = { text, made: made ?? [], outcomes: {} }
  if (sheet.format === 'text') return takeText(sheet, draft)
  if (text.trim() === '') return draft
  for (const part of sheet.parts) {
    if (sheet.format === 'toml') takeTable(draft, part)
    else if (part.kind === 'lists') takeLists(draft, part, made)
    else if (part.kind === 'member') takeMember(draft, part, made)
  }
  return draft
}

function putText({ text: wanted }: Sheet, draft: Draft): Draft {
  const { content, mark } = wanted!
  if (draft.text === content) draft.outcomes['file'] = 'unchanged'
  else if (draft.text === '' || draft.text.includes(mark)) {
    draft.outcomes['file'] = draft.text === '' ? 'added' : 'updated'
    draft.text = content
  } else draft.outcomes['file'] = 'another of this name is there; it was left as it is'
  return draft
}

function takeText({ text: wanted }: Sheet, draft: Draft): Draft {
  if (!draft.text.includes(wanted!.mark)) return draft
  draft.text = ''
  draft.outcomes['file'] = 'removed'
  return draft
}

/** Whether nothing is left in a file that was made for ours. */
function isEmpty(sheet: Sheet, text: string): boolean {
  if (text.trim() === '') return true
  if (sheet.format !== 'json') return false
  const seeds = sheet.parts.filter((part) => part.kind === 'seed')
  const bare = Object.fromEntries(seeds.map(({ key, value }) => [key, value]))
  const left = valueOf(treeOf(text))
  return isDeepStrictEqual(left, {}) || isDeepStrictEqual(left, bare)
}

/** A file that cannot be understood is named in the refusal, and stays as it is. */
function attempt<T>({ path }: Sheet, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw invalid(`${path} is ${error.message}; mend it, nothing was changed`)
  }
}
