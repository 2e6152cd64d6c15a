import { describe, expect, test } from 'vitest'
import { instructions } from '../../src/mcp/instructions.ts'

describe('the instructions', () => {
  const [workflow = ''] = instructions.split('\n\n')

  test('hold the workflow in their first 512 characters, in ASCII', () => {
    expect(workflow.length).toBeLessThanOrEqual(512)
    expect(instructions).toMatch(/^[\x20-\x7e\n]+$/)
    for (const term of [
      'recall',
      'memory_write',
      'notes_create',
      'AGENTS.md',
      'CLAUDE.md',
      'project=global',
      'sessions',
      'findings',
      'plan:<slug>',
      'inputSchema',
      'required fields and enums',
    ]) {
      expect(workflow).toContain(term)
    }
  })

  test('name the tools and the rules that follow, within 2,000 bytes', () => {
    expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2_000)
    for (const term of [
      'tasks_claim',
      'session_start',
      'session_end',
      'pass session to every call: its id or name',
      'mishaps',
      'constraint',
      'convention',
      'kind=stage',
      'Status: open|in_progress|blocked|done',
      'Gate: human|ai',
      'claim and finish',
      'state of the world',
      'supersedes',
      'briefing',
    ]) {
      expect(instructions).toContain(term)
    }
  })
})
