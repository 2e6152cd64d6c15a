import { expect, test } from 'vitest'
import { circlesIn, importGraph } from './graph.ts'

test('no file imports itself through others, neither values nor types', () => {
  expect(circlesIn(importGraph())).toEqual([])
})

test('the check reads the imports of the program, those of types included', () => {
  const graph = importGraph()
  expect(graph.get('src/main.ts')).toEqual(['src/cli/loam.ts'])
  expect(graph.get('src/file-kinds.ts')).toContain('src/vault/vault.ts')
})

test('the check finds a circle, however long, and nothing else', () => {
  const graph = new Map([
    ['door', ['rules', 'store']],
    ['rules', ['store']],
    ['store', ['rows']],
    ['rows', ['rules']],
    ['mirror', ['mirror', 'door']],
    ['leaf', []],
  ])
  expect(circlesIn(graph)).toEqual([['rows', 'rules', 'store'], ['mirror']])
})
