/**
 * The smallest edits of a JSON file that somebody else wrote: what is not touched keeps its bytes, with
 * comments, trailing commas, indentation and line ends. Every function takes a text and returns a text.
 */
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { invalid } from '../../../../kernel/refusal.ts'

export type Path = readonly (string | number)[]

const BOM = '\ufeff'

/** The tree of a text, its offsets counted with the byte order mark. Undefined for an empty text. */
export function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = []
  // A blank of the same length keeps the offsets.
  const tree = parseTree(text.startsWith(BOM) ? ` ${text.slice(1)}` : text, errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  })
  if (errors.length > 0) throw invalid('not JSON')
  if (tree && tree.type !== 'object') throw invalid('not a JSON object')
  return tree
}

/** The node at a path; of a key that is there twice, the one that counts. */
export function nodeAt(tree: Node | undefined, path: Path): Node | undefined {
  let node = tree
  for (const step of path) {
    if (typeof step === 'number') node = node?.type === 'array' ? node.children?.[step] : undefined
    else if (node?.type !== 'object') return undefined
    else
      node = node.children?.findLast(({ children }) => children?.[0]?.value === step)?.children?.[1]
  }
  return node
}

/** The value of a node; objects are plain ones, as those of JSON.parse. */
export const valueOf = (node: Node | undefined): unknown =>
  node && structuredClone(getNodeValue(node))

export const valueAt = (text: string, path: Path): unknown => valueOf(nodeAt(treeOf(text), path))

/** Puts a new value behind the last one of a list, or of an object under a key that it does not have. */
export function append(text: string, at: Path, value: unknown, key?: string): string {
  const tree = treeOf(text)
  if (!tree) return append(withObject(text), at, value, key)
  const box = nodeAt(tree, at)
  if (!box) throw new Error(`nothing at ${at.join('.')}`)
  const name = key === undefined ? '' : JSON.stringify(key)
  const last = box.children?.at(-1)
  const [open, close] = [box.offset + 1, box.offset + box.length - 1]
  const { comma, end } = triviaOf(text, last ? endOf(last) : open, close)
  const flat = last ? !text.slice(open, close).includes('\n') : isFlat(text)
  if (flat) {
    const space = last && !/[,{[]\s/.test(text.slice(0, close)) ? '' : ' '
    const member = `${name && `${name}:${space}`}${JSON.stringify(value)}`
    if (!last) return splice(text, open, close, `${text.slice(open, end)}${member}`)
    const rest = comma === undefined ? `,${space}${member}` : `${space}${member},`
    return splice(text, end, end, rest)
  }
  const indent = last
    ? indentAt(text, last.offset, unitOf(text, tree))
    : innerIndent(text, box, tree)
  const eol = eolOf(text)
  const member = `${eol}${indent}${name && `${name}: `}${written(value, indent, text, tree)}`
  if (!last) {
    const outer = `${eol}${indentAt(text, box.offset, '')}`
    return splice(text, end, close, `${member}${outer}`)
  }
  if (comma !== undefined) return splice(text, end, end, `${member},`)
  return splice(splice(text, end, end, member), endOf(last), endOf(last), ',')
}

/** An empty object behind a text of comments alone, which go on to stand in lines of their own. */
function withObject(text: string): string {
  const [said, eol] = [text.replace(/[ \t\r\n]+$/, ''), eolOf(text)]
  return `${said}${said.replace(BOM, '') === '' ? '' : eol}{}${eol}`
}

/** Puts another value in the place of one. */
export function replace(text: string, at: Path, value: unknown): string {
  const tree = treeOf(text)
  const node = nodeAt(tree, at)
  if (!tree || !node) throw new Error(`nothing at ${at.join('.')}`)
  const flat = isFlat(text) || isFlat(text.slice(lineStart(text, node.offset), endOf(node)))
  const indent = indentAt(text, node.offset, '')
  const fresh =
    flat && !isFlatScalar(node) ? JSON.stringify(value) : written(value, indent, text, tree)
  return splice(text, node.offset, endOf(node), fresh)
}

/** Takes a value out, with its key and with the comma that came with it. Comments of others stay. */
export function remove(text: string, at: Path): string {
  const value = nodeAt(treeOf(text), at)
  const node = value?.parent?.type === 'property' ? value.parent : value
  const box = node?.parent
  if (!node || !box?.children) throw new Error(`nothing at ${at.join('.')}`)
  const place = box.children.indexOf(node)
  const close = box.offset + box.length - 1
  const before = place > 0 ? endOf(box.children[place - 1]!) : box.offset + 1
  const after = box.children[place + 1]?.offset ?? close
  const behind = triviaOf(text, endOf(node), after)
  const ahead = triviaOf(text, before, node.offset)
  const isLast = place === box.children.length - 1
  const glued =
    ahead.line && !/^\s*\n/.test(text.slice(behind.comma ?? endOf(node)).replace(',', ''))
  let rest = text
  if (behind.comma !== undefined && /\S/.test(text.slice(endOf(node), behind.comma)))
    rest = splice(rest, behind.comma, behind.comma + 1, '')
  const end = rest === text && behind.comma !== undefined ? behind.comma + 1 : endOf(node)
  rest = splice(rest, glued ? node.offset : ahead.end, end, '')
  if (isLast && behind.comma === undefined && ahead.comma !== undefined)
    rest = splice(rest, ahead.comma, ahead.comma + 1, '')
  // What is left of an emptied box is closed up, unless somebody wrote a comment into it.
  if (box.children.length > 1) return rest
  const left = nodeAt(treeOf(rest), at.slice(0, -1))!
  const [open, shut] = [left.offset + 1, left.offset + left.length - 1]
  return /\S/.test(rest.slice(open, shut)) ? rest : splice(rest, open, shut, '')
}

/** What stands between two values: the comma, and the end of the last comment or comma. */
function triviaOf(
  text: string,
  from: number,
  to: number,
): { comma: number | undefined; end: number; line: boolean } {
  let [comma, end, line]: [number | undefined, number, boolean] = [undefined, from, false]
  for (const { 0: token, index } of text
    .slice(from, to)
    .matchAll(/,|\/\/[^\r\n]*|\/\*[^]*?\*\//g)) {
    if (token === ',') comma = from + index
    end = from + index + token.length
    line = token.startsWith('//')
  }
  return { comma, end, line }
}

const endOf = (node: Node): number => node.offset + node.length

export const splice = (text: string, from: number, to: number, fresh: string): string =>
  text.slice(0, from) + fresh + text.slice(to)

export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** A text in one line is continued in that line; an empty object alone says nothing about style. */
const isFlat = (text: string): boolean => {
  const whole = text.replace(BOM, '').trim()
  return !whole.includes('\n') && !/^\{\s*\}$/.test(whole)
}

const isFlatScalar = (node: Node): boolean => node.type !== 'object' && node.type !== 'array'

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The blanks at the beginning of the line, and one unit more where the value does not begin it. */
function indentAt(text: string, at: number, unit: string): string {
  const line = text.slice(lineStart(text, at), at).replace(BOM, '')
  const [blanks = ''] = /^[ \t]*/.exec(line)!
  return blanks.length === line.length ? blanks : blanks + unit
}

const innerIndent = (text: string, box: Node, tree: Node): string =>
  indentAt(text, box.offset, '') + unitOf(text, tree)

/** One step of the file's indentation; two blanks where it shows none. */
function unitOf(text: string, tree: Node): string {
  for (const { offset } of tree.children ?? []) {
    const indent = indentAt(text, offset, '')
    if (text.slice(lineStart(text, offset), offset) === indent && indent !== '')
      return indent.slice(indentAt(text, tree.offset, '').length) || '  '
  }
  return '  '
}

const written = (value: unknown, indent: string, text: string, tree: Node): string =>
  JSON.stringify(value, null, unitOf(text, tree)).replaceAll('\n', `${eolOf(text)}${indent}`)
