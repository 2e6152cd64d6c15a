/** The tools as clients see them: which exist for a caller, and how they are listed. */
import Type from 'typebox'
import type { Features } from '../features/features.ts'
import { published } from '../kernel/schema/bounds.ts'
import { compileArguments, type ReadArguments } from './arguments.ts'
import { secretHint } from './fields.ts'
import { takesText } from './guard.ts'
import type { Tool } from './tool.ts'

/** A tool as `tools/list` shows it. */
export interface Listed {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; properties: object; required: string[] }
  outputSchema: { type: 'object' }
  annotations: Record<
    'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint',
    boolean
  >
  /** What single clients read. */
  _meta?: Record<string, unknown>
}

/** A tool with the reader of its arguments. */
export interface Ready {
  tool: Tool
  read: ReadArguments
}

/** The tools that exist for one set of features. */
export interface Offer {
  listed: Listed[]
  /** By name. A Map, so that no name of an object's own machinery is taken for a tool. */
  tools: ReadonlyMap<string, Ready>
}

/**
 * Returns what is offered while which features are on. Every tool is compiled here, once for each set of
 * features, and an offer never changes afterwards.
 */
export function prepareOffers(tools: readonly Tool[]): (features: Features) => Offer {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))
  const twice = sorted.find(({ name }, index) => name === sorted[index + 1]?.name)
  if (twice) throw new Error(`two tools are called ${twice.name}`)
  const [off, on] = [offerOf(sorted, false), offerOf(sorted, true)]
  return ({ research }) => (research ? on : off)
}

function offerOf(tools: readonly Tool[], research: boolean): Offer {
  const ready = tools
    .filter(({ feature }) => feature !== 'research' || research)
    .map((tool) => (research ? { ...tool, ...tool.research } : tool))
    .map((tool): Ready => ({ tool, read: compileArguments(tool.input) }))
  return {
    listed: ready.map(({ tool }) => listTool(tool)),
    tools: new Map(ready.map((each) => [each.tool.name, each])),
  }
}

/** Returns the tool as listed. */
export function listTool(tool: Tool): Listed {
  const { name, title, description, input, output, hints, core } = tool
  const { properties = {}, required = [] } = published(input)
  const answers = takesText(tool)
    ? Type.Object({ ...output.properties, secret_hint: secretHint })
    : output
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required },
    outputSchema: { ...published(answers), type: 'object' },
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    ...(core && { _meta: ALWAYS_LOADED }),
  }
}

/** With its tool search on, Claude Code shows an agent the names of tools alone, but for these. */
const ALWAYS_LOADED = { 'anthropic/alwaysLoad': true }
