/**
 * The engine, with a parser that costs little to compile.
 *
 * The grammar of SQL is one function: a jump by number to one of its 2,000 rules, and from the end of each rule a jump
 * to the one place where the next is taken up. Node's optimizing compiler keeps what each value may be for each way into
 * a place, and 2,200 ways into one cost it 600 MB and seconds of a processor. It does so at every start: the function
 * counts as hot after some statements. Here rules that stand beside each other meet first, and their groups then: the
 * same code in the same order, in some forty blocks more, is compiled with 20 MB.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  CLOSE_BLOCK,
  JUMP,
  JUMP_BY_NUMBER,
  NOTHING,
  OPEN_BLOCK,
  Reader,
  Writer,
  stepsOf,
  type Label,
  type Step,
} from './wasm-code.ts'

/** A place with more ways into it is made lighter. */
const MOST_WAYS = 1_000
/** Ways into the place where the rules of a group meet: about the square root of all, so that no place has many. */
const WAYS_OF_GROUP = 48
/** No function has as many blocks within each other. */
const DEEPEST = 10_000
/** Of the code of a module. */
const CODE = 10
const HEAD = 8

/** Compiles the engine. Undefined when it is not made as expected: then it compiles itself, and all that is lost is memory. */
export async function lightEngine(): Promise<WebAssembly.Module | undefined> {
  const beside = import.meta.resolve('@electric-sql/pglite')
  try {
    // At once: in pieces that take turns with what else the thread does, it takes ten times as long.
    const module = readFileSync(fileURLToPath(new URL('pglite.wasm', beside)))
    return groupRules(module) > 0 ? await WebAssembly.compile(module) : undefined
  } catch {
    return undefined
  }
}

/** Puts the rules of large switches into groups, within the bytes of the module. Returns how many functions have changed. */
export function groupRules(module: Uint8Array): number {
  const read = new Reader(module, HEAD)
  let changed = 0
  while (read.at < module.length) {
    const [id, size] = [read.byte(), read.number()]
    const end = read.at + size
    for (let left = id === CODE ? read.number() : 0; left > 0; left--) {
      const size = read.number()
      // Each number of a large switch is a byte at least.
      if (size > MOST_WAYS) {
        const body = module.subarray(read.at, read.at + size)
        if (mayHoldLargeSwitch(body) && groupIn(body)) changed++
      }
      read.at += size
    }
    read.at = end
  }
  return changed
}

/** Whether something in a function looks like a jump by a large number: cheap, as each function is asked. */
function mayHoldLargeSwitch(body: Uint8Array): boolean {
  const read = new Reader(body, 0)
  for (let at = body.indexOf(JUMP_BY_NUMBER); at >= 0; at = body.indexOf(JUMP_BY_NUMBER, at + 1)) {
    read.at = at + 1
    let left = read.number()
    if (left <= MOST_WAYS || left > body.length) continue
    while (left > 0 && read.number() < DEEPEST) left--
    if (left === 0) return true
  }
  return false
}

/** Where a group begins and ends: before which steps. */
interface Group {
  label: Label
  opensBefore: Step
  closesBefore: Step
}

/** Changes the body of one function where it stands. Nearer places have shorter numbers, so that it has room; else it stays. */
function groupIn(body: Uint8Array): boolean {
  const steps = stepsOf(body)
  const meeting = steps && meetingOf(steps)
  if (!meeting) return false
  const groups = groupsOf(steps, meeting)
  if (groups.length === 0) return false
  const grouped = written(body, steps, meeting, groups)
  if (!grouped) return false
  body.set(grouped)
  // What is over does nothing, before the end of all.
  body.fill(NOTHING, grouped.length - 1)
  body[body.length - 1] = CLOSE_BLOCK
  return true
}

/** The block whose end very many ways lead to. */
function meetingOf(steps: readonly Step[]): Label | undefined {
  const ways = new Map<Label, number>()
  for (const { jumps } of steps) {
    if (jumps?.how === 'by number') continue
    for (const label of jumps?.to ?? []) ways.set(label, (ways.get(label) ?? 0) + 1)
  }
  let [meeting, most] = [undefined as Label | undefined, MOST_WAYS]
  for (const [label, count] of ways) if (count > most) [meeting, most] = [label, count]
  return meeting?.kind === 'block' && meeting.bare ? meeting : undefined
}

/**
 * Each rule stands between the ends of two blocks of a nest, the inner of which the large jump leads to. A group begins
 * with the block of its last rule, which holds those of the others, and ends behind the jump that ends this rule.
 */
function groupsOf(steps: readonly Step[], meeting: Label): Group[] {
  const nest = nestOf(steps, meeting)
  const opened = new Map(steps.map((step) => [step.opens, step]))
  const groups: Group[] = []
  let inner: Label | undefined
  let ways = 0
  let last: Step | undefined
  for (const step of steps) {
    if (step.closes && nest.has(step.closes)) {
      const ends = leadsTo(last, meeting) && last?.end === step.at
      if (ends && ways >= WAYS_OF_GROUP && inner?.kind === 'block' && inner.bare) {
        const label: Label = { kind: 'block', bare: true }
        groups.push({ label, opensBefore: opened.get(inner)!, closesBefore: step })
        ways = 0
      }
      inner = step.closes
    } else if (inner && step.jumps?.to.includes(meeting)) ways++
    last = step
  }
  return groups
}

const leadsTo = (step: Step | undefined, label: Label): boolean =>
  step?.jumps?.how === 'always' && step.jumps.to[0] === label

/** The blocks within the meeting that stand open at the largest jump by number. */
function nestOf(steps: readonly Step[], meeting: Label): Set<Label> {
  const open: Label[] = []
  let [most, nest] = [0, new Set<Label>()]
  for (const { opens, closes, jumps } of steps) {
    if (opens) open.push(opens)
    if (closes) open.pop()
    if (jumps?.how !== 'by number' || jumps.to.length <= most) continue
    const at = open.indexOf(meeting)
    if (at < 0) continue
    most = jumps.to.length
    nest = new Set(open.slice(at + 1))
  }
  return nest
}

/**
 * The body with its groups. Whatever jumps to the meeting jumps to the end of its group, and from there on. Undefined
 * when it is longer than before.
 */
function written(
  body: Uint8Array,
  steps: readonly Step[],
  meeting: Label,
  groups: readonly Group[],
): Uint8Array | undefined {
  const opening = new Map(groups.map((group) => [group.opensBefore, group.label]))
  const closing = new Set(groups.map((group) => group.closesBefore))
  const code = new Writer(body.length)
  // How many labels are open around each; the function itself is never opened.
  const depths = new Map<Label, number>()
  const within: Label[] = []
  let depth = 0
  const open = (label: Label): void => void depths.set(label, ++depth)
  const wayTo = (label: Label): number => depth - (depths.get(label) ?? 0)
  const wayOf = (label: Label): number =>
    wayTo(label === meeting ? (within.at(-1) ?? label) : label)
  let kept = 0
  for (const step of steps) {
    code.copy(body, kept, step.at)
    kept = step.at
    if (closing.has(step)) {
      within.pop()
      depth--
      code.put(CLOSE_BLOCK, JUMP).number(wayTo(meeting))
    }
    const group = opening.get(step)
    if (group) {
      within.push(group)
      open(group)
      code.put(...OPEN_BLOCK)
    }
    if (step.opens) open(step.opens)
    if (step.closes) depth--
    if (!step.jumps) continue
    const { how, to } = step.jumps
    code.put(body[step.at]!)
    if (how === 'by number') code.number(to.length - 1)
    for (const label of to) code.number(wayOf(label))
    kept = step.end
  }
  return code.copy(body, kept, body.length).whole()
}
