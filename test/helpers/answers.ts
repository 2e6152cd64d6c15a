/** Holds every answer of every tool, in the whole test run, to what its tool says that it answers. */
import { Compile } from 'typebox/compile'
import { afterAll, expect } from 'vitest'
import { catalog } from '../../src/mcp/catalog.ts'
import { listTool } from '../../src/mcp/offers.ts'

const wrong: string[] = []

for (const tool of catalog) {
  const { run } = tool
  const validator = Compile(listTool(tool).outputSchema)
  tool.run = async (input, call) => {
    const answer = await run(input, call)
    const onTheWire: unknown = JSON.parse(JSON.stringify(answer))
    if (!validator.Check(onTheWire)) {
      const [problem] = validator.Errors(onTheWire)
      wrong.push(`${tool.name}${problem?.instancePath}: ${problem?.message}`)
    }
    return answer
  }
}

afterAll(() => expect(wrong.splice(0), 'answers that do not fit their outputSchema').toEqual([]))
