import { defineEffect } from './effect.ts'
import { dropTask, listed, openTask, titled, toldOf } from './open-task.ts'

/** Somebody is asked to write down what agents look for in vain. */
export const memoryWanted = defineEffect({
  kind: 'memory_wanted',
  apply: (carrier, by, { project, suggested_title, queries, reason }) =>
    openTask(carrier, by, {
      project,
      title: titleOf(suggested_title),
      body: [
        `This was ${reason}:`,
        listed(queries),
        'Find out what holds and write it with memory_write, in the words that were asked for, so that ' +
          'recall finds it. If nobody needs it, drop this task.',
      ].join('\n\n'),
    }),
  told: ({ suggested_title }, written) => toldOf(titleOf(suggested_title), written),
  undo: dropTask,
})

const titleOf = (topic: string): string => titled('Write down what is known of', topic)
