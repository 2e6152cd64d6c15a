import { expect, test } from 'vitest'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openHouse } from '../helpers/house.ts'

/** Each with a question that nobody wrote with its words in mind. */
const KNOWN: [name: string, description: string, question: string][] = [
  [
    'csv-last-row',
    'The importer drops the last csv row unless the file ends with a newline',
    'why is the last row of my csv gone after the import?',
  ],
  [
    'deploy-window',
    'Deploys to production happen before noon on weekdays, never on Fridays',
    'can we still deploy to production on friday?',
  ],
  [
    'staging-reset',
    'The staging database is reset every night at two',
    'who has deleted my customers from the staging database?',
  ],
  [
    'invoice-rounding',
    'Invoice lines are rounded half to even, each line before the total',
    'how are the lines of an invoice rounded?',
  ],
  [
    'webhook-signature',
    'Webhook signatures are checked against the raw body, before any parsing',
    'the webhook answers 401, is the signature wrong?',
  ],
  [
    'flags-cached',
    'Feature flags are cached for sixty seconds in each process',
    'I switched a feature flag off and nothing happens',
  ],
  [
    'payment-retries',
    'A failed payment is retried five times, then the order is parked',
    'how often do we retry a failed payment?',
  ],
  [
    'report-midnight',
    'Reports are cut at midnight in Vienna, not in UTC',
    'the daily report is cut at the wrong hour, not at midnight',
  ],
  [
    'index-rebuild',
    'Rebuild the search index after a change of the analyzer',
    'search finds no umlauts since the analyzer was changed',
  ],
  [
    'upload-limit',
    'Image uploads over ten megabytes are refused by the proxy',
    'the upload of a large image is refused with 413',
  ],
]

const ELSEWHERE = [
  'write a haiku about autumn leaves',
  'continue',
  'rename the variable user to account everywhere',
  'make the button blue and move it to the right side of the header',
  'fix the failing test in the parser module',
  'translate the readme to german',
  'what is the capital of australia',
  'refactor this into smaller functions without changing behaviour',
]

const WHERE = { cwd: '/home/ana/src/orders', repo_root: '/home/ana/src/orders' }

test.each([1, 2, 3, 5, 10])('a store of %i answers a question about each', async (size) => {
  await using house = await openHouse()
  const agent = await house.inside('orders')
  const { db } = house.app.kernel
  const start = { session_id: 's', source: 'startup', ...WHERE }
  await callHook(house, 'session-start', start)
  const ask = async (prompt: string): Promise<string> => {
    // The briefing told them all: what a prompt alone brings is another matter.
    await db.deleteFrom('told').execute()
    const payload = { ...fixture('claude-code/user-prompt-submit'), session_id: 's', prompt }
    return (await callHook(house, 'user-prompt-submit', payload)).context ?? ''
  }
  // Stores of every size begin with another memory, so that each of them is alone once.
  const rounds = size === 1 ? KNOWN.map((one) => [one]) : [KNOWN.slice(0, size)]
  for (const known of rounds) {
    for (const [name, description] of known) {
      await agent.call('memory_write', { name, kind: 'gotcha', description, body: description })
    }
    for (const [name, , question] of known) {
      const { hits, evidence } = await agent.call('recall', { query: question })
      expect({ question, first: hits[0]?.name }).toEqual({ question, first: name })
      expect({ question, evidence }).not.toEqual({ question, evidence: 'none' })
      const told = /(?<=^- )\S+/m.exec(await ask(question))?.[0]
      expect({ question, told }).toEqual({ question, told: name })
    }
    for (const prompt of ELSEWHERE)
      expect({ prompt, told: await ask(prompt) }).toEqual({ prompt, told: '' })
    for (const [name] of known) await agent.call('memory_delete', { name })
  }
})
