import { expect, test } from 'vitest'
import { checkOwner, ownerScope, type OwnerScope } from '../../src/projects/projects.ts'

test('the scope of the owner is accepted', () => {
  expect(() => checkOwner(ownerScope())).not.toThrow()
})

test('an owner scope made by hand fails in types, and when a query checks it', () => {
  // @ts-expect-error A literal is no OwnerScope.
  const literal: OwnerScope = {}
  const copy: OwnerScope = { ...ownerScope() }
  expect(() => checkOwner(literal)).toThrow('nobody made')
  expect(() => checkOwner(copy)).toThrow('nobody made')
})
