/**
 * Writes docs/tools.md from the catalogue: `npm run docs`. With `--check` it writes nothing,
 * and the exit code says whether the file is up to date.
 */
import { ALIASES } from '../mcp/arguments.ts'
import { catalog } from '../mcp/catalog.ts'
import { listTool, type Listed } from '../mcp/offers.ts'
import type { Tool } from '../mcp/tool.ts'
import { writeOrCheck } from './generated.ts'

interface Parameter {
  type?: string
  enum?: readonly unknown[]
  items?: Parameter
  description?: string
  minimum?: number
  maximum?: number
}

const kinds: Record<string, string> = {
  readOnlyHint: 'reads only',
  destructiveHint: 'overwrites',
  idempotentHint: 'may be repeated',
  openWorldHint: 'reaches other machines',
}

function section(tool: Tool): string {
  const listed = listTool(tool)
  const { properties, required } = listed.inputSchema
  const rows = Object.entries(properties).map(([name, parameter]) =>
    row(name, parameter as Parameter, required.includes(name), properties),
  )
  const hints = Object.entries(listed.annotations)
    .filter(([, holds]) => holds)
    .map(([hint]) => kinds[hint])
  return [
    `## ${tool.name}\n`,
    `${tool.description}\n`,
    ...(tool.feature ? [`Only while the feature \`${tool.feature}\` is on.\n`] : []),
    rows.length > 0
      ? `| Parameter | Type | Required | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
      : 'No parameters.\n',
    `Answers: ${fieldsOf(listed)}.${hints.length > 0 ? ` (${hints.join(', ')})` : ''}\n`,
  ].join('\n')
}

function row(name: string, parameter: Parameter, required: boolean, all: object): string {
  const aliases = (ALIASES[name] ?? []).filter((alias) => !Object.hasOwn(all, alias))
  const names = [name, ...aliases].map((each) => `\`${each}\``).join(', ')
  const words = (parameter.description ?? '').replaceAll('|', '\\|')
  return `| ${names} | ${typeOf(parameter)} | ${required ? 'yes' : 'no'} | ${words} |`
}

function typeOf({ type = 'any', enum: values, items, minimum, maximum }: Parameter): string {
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (type === 'array') return `list of ${typeOf(items ?? {})}`
  const limits = [
    ...(minimum !== undefined ? [`from ${minimum}`] : []),
    ...(maximum !== undefined ? [`to ${maximum}`] : []),
  ]
  return [type, ...limits].join(' ')
}

function fieldsOf({ outputSchema }: Listed): string {
  const { properties = {}, required = [] } = outputSchema as {
    properties?: object
    required?: string[]
  }
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? `\`${name}\`` : `\`${name}\`?`,
  )
  return names.join(', ') || 'nothing'
}

const tools = [...catalog].sort((a, b) => (a.name < b.name ? -1 : 1))
const text = `# Tools

Generated from \`src/mcp/catalog.ts\` by \`npm run docs\`; never edited by hand.

An agent reads the same words through \`tools/list\`. A field followed by ? is not in every answer.
A call that fails is an answer with \`isError\` and the text \`<tool>: <reason>\`.

${tools.map(section).join('\n')}`

await writeOrCheck(new URL('../../docs/tools.md', import.meta.url), text)
