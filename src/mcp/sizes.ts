/** What the log of a held event loop says of a tool call: names that are declared, and sizes. */
import type { FastifyRequest } from 'fastify'
import { tellWork } from '../http/lag.ts'
import { isObject } from '../kernel/schema/shape.ts'
import { ALIASES } from './arguments.ts'
import { toolNamed, type Message } from './message.ts'
import type { Tool } from './tool.ts'

/** The names of each tool's parameters: any other that a caller sends is content. */
type Declared = ReadonlyMap<string, ReadonlySet<string>>

export function declaredNames(tools: readonly Tool[]): Declared {
  const namesOf = ({ input }: Tool): string[] =>
    Object.keys(input.properties).flatMap((name) => [name, ...(ALIASES[name] ?? [])])
  return new Map(tools.map((tool) => [tool.name, new Set(namesOf(tool))]))
}

/** Names the tool of a request, when it calls one. */
export function tellTool(request: FastifyRequest, message: Message, declared: Declared): void {
  const tool = toolNamed(message)
  const names = tool === undefined ? undefined : declared.get(tool)
  if (tool === undefined || !names) return
  const { arguments: sent } = message.params as { arguments?: unknown }
  tellWork(request, () => ({ tool, sizes: sizesOf(sent, names) }))
}

/** Characters of texts, entries of lists and objects; what is not declared is told together. */
function sizesOf(sent: unknown, names: ReadonlySet<string>): Record<string, number> {
  if (!isObject(sent)) return { undeclared: sizeOf(sent) }
  const sizes: Record<string, number> = {}
  for (const [name, value] of Object.entries(sent)) {
    const told = names.has(name) ? name : 'undeclared'
    sizes[told] = (sizes[told] ?? 0) + sizeOf(value)
  }
  return sizes
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isObject(value) ? Object.keys(value).length : 1
}
