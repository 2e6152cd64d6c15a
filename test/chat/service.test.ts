import { expect, test } from 'vitest'
import { understandByModel } from '../../src/gardener/request/by-model.ts'
import { scopeAt } from '../../src/projects/projects.ts'
import { openChatProvider } from '../helpers/chat-provider.ts'
import { openHouse } from '../helpers/house.ts'
import { openOperated } from '../helpers/operator.ts'

test('a house asks the model that its configuration names, until it is closed', async () => {
  await using provider = await openChatProvider('{"ops":[{"op":"archive","target":1}]}')
  await using house = await openHouse({ env: provider.env })
  const agent = await house.connect()
  const { id } = await agent.call('memory_write', {
    ...{ name: 'tides', project: 'atlas', kind: 'gotcha', description: 'Old', body: 'b' },
  })
  const { kernel } = house.app
  expect(kernel.chat.state()).toEqual({ on: true, model: 'gpt-test', provider: 'openai' })
  const within = { scope: await scopeAt(kernel.db, 'atlas'), all: false }
  expect(await understandByModel(kernel, within, 'the tides are old')).toMatchObject({
    operations: [{ op: 'archive', target: id }],
    model: 'gpt-test',
  })
  expect(provider.requests).toHaveLength(1)

  provider.fault = { delay: 60_000 }
  const asked = kernel.chat.complete({ system: 's', user: 'u' }, { deadlineMs: 60_000 })
  await expect.poll(() => provider.requests.length).toBe(2)
  await house.close()
  expect(await asked).toEqual({ kind: 'off', cause: 'the service is stopping' })
})

test('doctor says which chat model is set up, and why none is', async () => {
  const line = async (env: Record<string, string>) => {
    await using operated = await openOperated({ env })
    const { said } = await operated.loam('doctor')
    return said.filter((each) => /^\S+ +chat /.test(each))
  }
  expect(await line({ LOAM_LLM_PROVIDER: 'anthropic', LOAM_LLM_ANTHROPIC_API_KEY: 'k' })).toEqual([
    'ok    chat      claude-sonnet-5 (anthropic) is set up',
  ])
  expect(await line({ LOAM_LLM_PROVIDER: 'openai' })).toEqual([
    'info  chat      no chat model is set up: set llm.openai.api_key (LOAM_LLM_OPENAI_API_KEY), or ' +
      'llm.provider and its settings; the gardener goes by its rules alone',
  ])
  expect(await line({ LOAM_LLM_PROVIDER: 'ollama', LOAM_LLM_OLLAMA_CHAT_MODEL: ' ' })).toEqual([
    'warn  chat      llm.ollama.chat_model is empty: name a model; the gardener goes by its rules alone',
  ])
})
