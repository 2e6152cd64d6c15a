import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS, isGroup, type Listed, load } from '../../src/cli/commands.ts'
import { importGraph } from './graph.ts'

/** Every file directly in one of these folders declares a command; what commands need lies deeper. */
const FOLDERS = ['src/cli/agent', 'src/cli/operator']
const files = FOLDERS.flatMap((folder) => globSync(`${folder}/*.ts`)).sort()
const listed = COMMANDS.filter((entry): entry is Listed => !isGroup(entry))

describe('a command', () => {
  test.each(listed)(
    '$name is one file, named after it, in the folder of its audience',
    async (entry) => {
      const command = await load(entry)
      const folder = `src/cli/${command.for}`
      const path = `${folder}/${entry.name.replaceAll(' ', '-')}.ts`
      expect(command.name).toBe(entry.name)
      expect(files).toContain(path)
      const module = (await import(/* @vite-ignore */ `../../${path}`)) as object
      expect(Object.values(module)).toEqual([command])
    },
  )

  test('is in the list, and the list names it once', () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
    const names = listed.map(({ name }) => name.replaceAll(' ', '-')).sort()
    expect(files.map((path) => basename(path, '.ts')).sort()).toEqual(names)
  })

  test('below a word follows the word in the list', () => {
    const words = new Set<string>()
    for (const { name } of COMMANDS) {
      const [word = '', below] = name.split(' ')
      if (below === undefined) words.add(word)
      else expect(words).toContain(word)
    }
  })

  test('loads no file of another command', () => {
    const graph = importGraph()
    const others = files.flatMap((path) =>
      (graph.get(path) ?? []).filter((to) => FOLDERS.includes(dirname(to))),
    )
    expect(others).toEqual([])
  })
})
