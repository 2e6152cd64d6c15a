/** Puts hooks, tools and skills into the clients of this machine, and keeps them current. */
import { loadClient } from '../../../config/client.ts'
import { invalid, Refusal } from '../../../kernel/refusal.ts'
import { openTools } from '../../client/tools.ts'
import type { AgentCall } from '../../command.ts'
import type { ClientKind } from './client.ts'
import type { Part } from './edit/parts.ts'
import { openReceipts, type Receipts } from './edit/receipts.ts'
import { putSheet } from './edit/sheet.ts'
import { clientsNamed } from './names.ts'
import { elsewhereOf, type Places } from './places.ts'
import { putSkills } from './skills.ts'
import { findWay, type Way } from './way.ts'

type Asked = Places & {
  client: string
  url: string | undefined
  mcp: boolean
  skills: boolean
  allowTools: true | undefined
}

/** What one client gets. */
interface Parts {
  way: Way
  asked: Asked
  receipts: Receipts
  /** Whether research is on; undefined: skills stay as they are. */
  research: boolean | undefined
}

/**
 * Puts everything in; run again, it changes only what is not current. A client whose files cannot be
 * edited keeps none from the others; it is refused at the end.
 */
export async function install(asked: Asked, call: AgentCall): Promise<void> {
  const clients = await clientsNamed(asked.client, call)
  if (!asked.mcp && clients.every(({ folders }) => !folders)) {
    throw invalid('the desktop app has no hooks: with --no-mcp there is nothing to install')
  }
  const way = await findWay(call, { config: call.config, url: asked.url })
  const research = asked.skills ? await researchIsOn(way, call) : undefined
  const receipts = await openReceipts(call)
  const failed: Refusal[] = []
  for (const client of clients) {
    call.say(`${client.name}:`)
    try {
      const lines = installInto(client, { way, asked, receipts, research }, call)
      for await (const line of lines) call.say(`  ${line}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failed.push(error)
    } finally {
      await receipts.save()
    }
  }
  if (failed.length > 0) throw invalid(failed.map(({ message }) => message).join('\n'))
}

async function* installInto(
  client: ClientKind,
  { way, asked, receipts, research }: Parts,
  call: AgentCall,
): AsyncGenerator<string> {
  const allow = asked.allowTools === true
  const wish = { allow, elsewhere: elsewhereOf(client, asked, call) }
  const wanted = (part: Part): boolean =>
    part.kind === 'seed' ||
    !((part.about === 'mcp' && !asked.mcp) || (part.about === 'permission' && !allow))
  for (const sheet of client.sheets(way, call, wish)) {
    const outcomes = Object.entries(await putSheet(sheet, receipts, wanted))
    if (outcomes.length > 0) yield sheet.path
    for (const [about, outcome] of outcomes) yield `${about}: ${outcome}`
  }
  if (asked.mcp && !allow) yield `to allow the tools for good: --allow-tools, or ${client.grant}`
  yield* client.hints ?? []
  if (research === undefined || !client.skills) return
  try {
    yield* await putSkills(client.skills(call), { research }, receipts)
  } catch (error) {
    yield `skills: not installed (${(error as Error).message})`
  }
}

/** Asks the service itself. Undefined when it does not answer: skills then stay as they are. */
async function researchIsOn(way: Way, { env, cwd, say }: AgentCall): Promise<boolean | undefined> {
  try {
    await using tools = await openTools(await loadClient({ env, cwd, file: way.config }))
    return (await tools.list()).includes('lab_open')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(`skills: left as they are, since ${error.message}`)
    return undefined
  }
}
