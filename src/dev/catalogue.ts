/**
 * Writes what a bridge answers before it ever heard a service: `npm run docs`. With `--check` it writes
 * nothing, and the exit code says whether the file is up to date.
 */
import type { Catalogue } from '../cli/client/bridge/packaged.ts'
import { readBuild } from '../kernel/build.ts'
import { catalog } from '../mcp/catalog.ts'
import { VERSIONS as STATELESS_VERSIONS } from '../mcp/envelope.ts'
import { CAPABILITIES, serverInfo } from '../mcp/identity.ts'
import { instructions } from '../mcp/instructions.ts'
import { prepareOffers } from '../mcp/offers.ts'
import { VERSIONS as STATEFUL_VERSIONS } from '../mcp/stateful.ts'
import { statelessGeneration } from '../mcp/stateless.ts'
import { writeOrCheck } from './generated.ts'

const build = readBuild()
const offerFor = prepareOffers(catalog)
const features = { research: false, momentum: false, gamification: false }
const protocolVersion = STATEFUL_VERSIONS[0]!

/** Answers of the generation without sessions, of which none asks the store. */
async function stateless(): Promise<{ discover: object; listing: object }> {
  const list = () => ({ result: { tools: [] } })
  const generation = statelessGeneration(undefined as never, { list, call: list }, build)
  const ask = async (method: string): Promise<object> => {
    const answer = await generation.methods.get(method)!(undefined as never)
    return generation.complete('result' in answer ? answer.result : {})
  }
  const { tools: _, ...listing } = (await ask('tools/list')) as { tools?: unknown }
  return { discover: await ask('server/discover'), listing }
}

const answers = await stateless()
const catalogue: Catalogue = {
  tools: {
    off: offerFor(features).listed,
    on: offerFor({ ...features, research: true }).listed,
  },
  stateful: {
    versions: [...STATEFUL_VERSIONS],
    initialize: {
      protocolVersion,
      capabilities: CAPABILITIES,
      serverInfo: serverInfo(build),
      instructions,
    } as Catalogue['stateful']['initialize'],
  },
  stateless: Object.fromEntries(STATELESS_VERSIONS.map((version) => [version, answers])),
}

/** One tool a line, so that a change shows where it is. */
const listOf = (tools: object[]): string =>
  `[\n${tools.map((each) => JSON.stringify(each)).join(',\n')}\n]`
const { tools, ...rest } = catalogue
const [stateful, without] = [JSON.stringify(rest.stateful), JSON.stringify(rest.stateless)]
const text = `{"tools":{"off":${listOf(tools.off)},"on":${listOf(tools.on)}},
"stateful":${stateful},
"stateless":${without}}
`
await writeOrCheck(new URL('../cli/client/bridge/catalogue.json', import.meta.url), text)
