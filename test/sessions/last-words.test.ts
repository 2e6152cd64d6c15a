import { describe, expect, test } from 'vitest'
import { tellsAnything } from '../../src/sessions/last-words.ts'

describe('the last words of a client', () => {
  test.each([
    'Hello, I did nothing.',
    'Done.',
    'OK',
    'Hi! How can I help you today?',
    'Hello! I am ready to help. What would you like me to work on?',
    'All done! Let me know if you need anything else.',
    'Which file do you mean?',
    "You're welcome!",
    'I am Claude, an assistant. What are we working on?',
    'Sure, should I go ahead with src/import.ts?',
    'No changes were made.',
    'Nothing to do.',
    "I'm ready.",
    'Good morning! 👋',
    'Understood. I will wait for your instructions.',
    'Thanks for the update!',
    'Task completed.',
    'The task is complete.',
    'Everything is done as requested. Feel free to ask if you want more.',
    '**Done** ✅',
    'I did not change anything. Let me know how you want to proceed in `orders/import.ts`.',
    'Yes.',
    'pong',
    'Would you like me to fix the importer, or only to describe the bug?',
    '好的。',
    'Glad that helped!',
    'Hope this helps.',
    'I understand the task now.',
    'That worked well.',
  ])('say nothing: %s', (words) => {
    expect(tellsAnything(words)).toBe(false)
  })

  test.each([
    'Fixed the importer.',
    'The importer reads one row too few.',
    'Done. The parser in src/csv.ts now keeps the last row; the test covers a file without a newline.',
    'All 214 tests pass.',
    'Renamed `readRows` to `rowsOf`.',
    'Reverted the migration.',
    'I could not reproduce the crash on Linux; it needs a file system without case.',
    'Hello! I looked at the queue: two workers take the same job because the lease is read before the lock.',
    'The build fails with ERR_MODULE_NOT_FOUND.',
    'Pushed to feature/late-rows. Should I open the pull request?',
    'See docs/queue.md.\n\n- lease: 30 s\n- retry: 3 times',
    'Nothing to do: the index exists since migration 0014 and the planner uses it.',
    'Removed three unused flags.',
    'The staging database is read-only until Thursday.',
    'Bumped vite to 7.1.2',
    'Le test échoue parce que le fuseau horaire manque dans la requête.',
    'Der Import verliert die letzte Zeile, wenn der Umbruch fehlt.',
    '修复了导入器，最后一行不再丢失。',
    'I prefer Postgres over Redis for the queue because claims need a transaction.',
    'OK, deployed build 4711 to staging.',
    'Root cause: `updated_at` is compared as text.',
    'Added a retry.',
    'All rows arrive now.',
    'I see that the lease is read before the lock.',
    'Tests pass.',
    'History is kept.',
    'The cache leaks.',
    'No test fails any more.',
    'Set the limit to 500.',
    'Wrote the release notes.',
  ])('say something: %s', (words) => {
    expect(tellsAnything(words)).toBe(true)
  })
})
