/** What became known while somebody worked on it, and what was known before there was Loam. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeTime } from 'ulid'
import { reconcile } from '../../../vault/reconcile.ts'
import type { KnownMemory } from '../story/story.ts'
import { DAY, HOUR, MINUTE } from '../timeline.ts'
import { writeMemory } from '../writing.ts'
import { tell, visitDaysAgo, type Chapter } from './chapter.ts'

interface News {
  told: { project: string; ago: number; memory: KnownMemory; prompt: string }[]
  old: (Pick<KnownMemory, 'name' | 'kind' | 'description' | 'body'> & {
    project: string
    days: number
  })[]
}

const news = tell<News>('news')

export function tellNews(chapter: Chapter): void {
  for (const { project, ago, memory, prompt } of news.told) {
    const at = chapter.now - ago * DAY - 5 * HOUR
    visitDaysAgo(chapter, ago, {
      ...{ project, at, minutes: 70 },
      prompt: 'Go through what came in since yesterday, and ask before you decide.',
      findings: `Asked and answered: ${prompt}`,
      steps: [{ after: 45, run: (agent) => agent.prompt(prompt) }],
    })
    visitDaysAgo(chapter, ago, {
      ...{ project, at: at + 8 * MINUTE, minutes: 24 },
      prompt: `We found out why, write it down: ${memory.description}.`,
      findings: `${memory.name} is written down.`,
      steps: [{ after: 14, run: (agent) => writeMemory(agent, memory) }],
    })
  }
  // After the gardener has looked.
  chapter.timeline.add(chapter.now - 70 * MINUTE, () => bringOldFiles(chapter))
}

/** Files that somebody laid beside those of Loam. */
async function bringOldFiles({ world, random, now }: Chapter): Promise<void> {
  const { kernel } = world.house
  const letters = random.fork('old files')
  for (const { project, days, name, kind, description, body } of news.old) {
    const at = now - days * DAY
    const time = new Date(at).toISOString()
    const rest = Array.from({ length: 16 }, () => LETTERS[letters.between(0, 31)]).join('')
    const id = encodeTime(at) + rest
    const head = [
      `id: ${id}`,
      `kind: ${kind}`,
      `name: ${name}`,
      `description: ${JSON.stringify(description)}`,
      `project: ${project}`,
      ...['created', 'updated', 'valid_from'].map((key) => `${key}: ${time}`),
    ]
    const folder = join(kernel.config.data_dir, 'memory', project)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `${name}.md`), `---\n${head.join('\n')}\n---\n${body}\n`)
    world.ledger.memories.push({
      ...{ id, name, project, kind, status: 'active', starred: false },
      ...{ created: time, updated: time },
    })
  }
  await reconcile(kernel)
}

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
