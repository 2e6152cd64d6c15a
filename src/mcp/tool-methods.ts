/** Listing tools and calling one: the methods that both generations have. */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Kernel } from '../kernel/kernel.ts'
import { isObject } from '../kernel/schema/shape.ts'
import { callTool, MEANT } from './call-tool.ts'
import { refused, type Method } from './dispatch.ts'
import { prepareOffers } from './offers.ts'
import type { Tool } from './tool.ts'

export interface ToolMethods {
  list: Method
  call: Method
}

export function toolMethods(kernel: Kernel, tools: readonly Tool[]): ToolMethods {
  const offerFor = prepareOffers(tools)
  return {
    async list({ params: { cursor }, context }) {
      // No answer of ours ever held one; some clients write null for none.
      if (cursor !== undefined && cursor !== null) return refused(ErrorCode.InvalidParams, ONE_PAGE)
      const { features } = await context()
      return { result: { tools: offerFor(features).listed } }
    },

    async call({ params: { name, arguments: sent, _meta: meta }, context: contextOf }) {
      if (typeof name !== 'string') {
        return refused(ErrorCode.InvalidParams, 'tools/call needs a name')
      }
      const tellsMeant = isObject(meta) && meta[MEANT] === true
      const context = await contextOf()
      const ready = offerFor(context.features).tools.get(name)
      if (!ready) return refused(ErrorCode.InvalidParams, unknownTool(name))
      return { result: await callTool(kernel, ready, context, sent, { tellsMeant }) }
    },
  }
}

const ONE_PAGE = 'invalid cursor: tools/list answers in one page; ask without a cursor'

/** The same words for a tool that is hidden and for one that never was. */
const unknownTool = (name: string): string =>
  `tool ${JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)} not found`
