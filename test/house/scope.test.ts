import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** Tools that show identity only, which is no secret; and the way in, which needs no fence. */
const UNFENCED = ['project_list', 'session_start']

const OWNERS = 'src/projects/owner-scope.ts'

describe('scope is a type', () => {
  test('every tool resolves what it may see or write through the scopes of its call', () => {
    const without = globSync('src/*/tools/*.ts').filter((path) => {
      const name = path.split('/').at(-1)!.replace('.ts', '')
      const text = readFileSync(path, 'utf8')
      return !UNFENCED.includes(name) && !/scopes\.(read|write|reach|caller)/.test(text)
    })
    expect(without).toEqual([])
  })

  test('only the room of projects makes a Scope', () => {
    const makers = globSync('src/**/*.ts').filter((path) =>
      /as (unknown as )?Scope\b/.test(readFileSync(path, 'utf8')),
    )
    expect(makers).toEqual(['src/projects/scope.ts'])
  })

  test('only the console and the commands speak for the owner', () => {
    const speakers = globSync('src/**/*.ts').filter(
      (path) => path !== OWNERS && /\bownerScope\(/.test(readFileSync(path, 'utf8')),
    )
    expect(speakers.filter((path) => !/^src\/(cli|console)\//.test(path))).toEqual([])
  })

  test('only the room of projects makes an OwnerScope', () => {
    const makers = globSync('src/**/*.ts').filter((path) =>
      /as (unknown as )?OwnerScope\b/.test(readFileSync(path, 'utf8')),
    )
    expect(makers).toEqual([OWNERS])
  })

  test('every query that answers an agent filters by the projects it is given', () => {
    const without = globSync('sql/recall/*.sql').filter(
      (path) => !readFileSync(path, 'utf8').includes('= any (:searched::text[])'),
    )
    expect(without).toEqual([])
  })
})
