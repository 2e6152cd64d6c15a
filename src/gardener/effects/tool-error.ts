import { defineEffect } from './effect.ts'
import { dropTask, listed, openTask, titled, toldOf } from './open-task.ts'

/** What to look at, by where it failed. */
const ADVICE = {
  tool:
    'See whether agents call it wrongly for the same reason each time. If so, write a memory that tells them ' +
    'how; if not, tell the owner what is wrong.',
  hook: 'Look at the client whose hook it is and at the log of the service, and tell the owner what is wrong.',
}

/** Somebody is asked to find out why a tool or a hook fails again and again. */
export const toolError = defineEffect({
  kind: 'tool_error',
  apply: (
    carrier,
    by,
    { project, surface, name, suggested_title, examples, example_args, reason },
  ) =>
    openTask(carrier, by, {
      project,
      title: titleOf(suggested_title),
      body: [
        `The ${surface} ${name} ${reason}. It said:`,
        listed(examples),
        ...(example_args ? ['It was called with:', listed(example_args)] : []),
        ADVICE[surface],
      ].join('\n\n'),
    }),
  told: ({ suggested_title }, written) => toldOf(titleOf(suggested_title), written),
  undo: dropTask,
})

const titleOf = (label: string): string => titled('Find out why this fails', label)
