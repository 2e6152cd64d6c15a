import { invalid, Refusal } from '../../../kernel/refusal.ts'
import type { AgentCall } from '../../command.ts'
import type { ClientKind } from './client.ts'
import { takeCopies } from './edit/copies.ts'
import { openReceipts, type Receipts } from './edit/receipts.ts'
import { takeSheet } from './edit/sheet.ts'
import { takeLeftovers } from './leftovers.ts'
import { CLIENTS } from './clients.ts'
import { clientsNamed } from './names.ts'
import { elsewhereOf, type Places, stillIn } from './places.ts'
import { takeSkills } from './skills.ts'
import { knownWay, type Way } from './way.ts'

type Asked = Places & {
  client: string
  dryRun: true | undefined
  mcp: boolean
}

const NAME_IT =
  'to have that out as well, uninstall again with the variable or the option that named its place, ' +
  'such as CLAUDE_CONFIG_DIR or --settings'

/** Takes out what was put in. What others wrote stays, and so do the store and its configuration. */
export async function uninstall(asked: Asked, call: AgentCall): Promise<void> {
  const way = await knownWay(call)
  const receipts = await openReceipts(call)
  const failed: Refusal[] = []
  for (const client of await clientsNamed(asked.client, call)) {
    call.say(`${client.name}:`)
    try {
      const lines = takeFrom(client, { way, asked, receipts }, call)
      for await (const line of lines) call.say(`  ${line}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failed.push(error)
    } finally {
      if (!asked.dryRun) await receipts.save()
    }
  }
  const wish = { allow: true, taking: true } as const
  const looked = CLIENTS.flatMap((client) => [
    ...client
      .sheets(way, call, { ...wish, elsewhere: elsewhereOf(client, asked, call) })
      .map(({ path }) => path),
    ...(client.skills ? [client.skills(call)] : []),
  ])
  const left = await stillIn(receipts, looked)
  if (left.length > 0) call.say(`still installed: ${left.join(', ')}\n${NAME_IT}`)
  if (!asked.dryRun && (await receipts.areGone())) await takeLeftovers(call)
  if (failed.length > 0) throw invalid(failed.map(({ message }) => message).join('\n'))
}

async function* takeFrom(
  client: ClientKind,
  { way, asked, receipts }: { way: Way; asked: Asked; receipts: Receipts },
  call: AgentCall,
): AsyncGenerator<string> {
  const dry = asked.dryRun === true
  const taken: string[] = []
  const wish = { allow: true, elsewhere: elsewhereOf(client, asked, call), taking: true } as const
  for (const sheet of client.sheets(way, call, wish)) {
    const parts = sheet.parts.filter(
      (part) => part.kind === 'seed' || part.about !== 'mcp' || asked.mcp,
    )
    const whole = parts.length === sheet.parts.length
    taken.push(...(await takeSheet({ ...sheet, parts }, receipts, { dry, whole })))
    taken.push(...(await takeCopies(sheet.path, { dry })))
  }
  if (client.skills) taken.push(...(await takeSkills(client.skills(call), receipts, { dry })))
  yield `${dry ? 'would remove' : 'removed'}: ${taken.join(', ') || 'nothing'}`
}
