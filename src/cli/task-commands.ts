/** The commands by which work is divided: `loam ready` and `loam task …`. */
import type { Command, Option } from 'commander'

const project = '--project <slug>'

/** Adds them to the program, each loading what it needs when it runs. */
export function addTaskCommands(loam: Command, config: () => Option): void {
  loam
    .command('ready')
    .description('list what can be begun now, and with --blocked what waits for what')
    .addOption(config())
    .option(project, 'of this project; default: global')
    .option('--plan <slug>', 'steps of this plan')
    .option('--blocked', 'tell what is blocked as well')
    .option('--limit <number>', 'of each at most; default 50')
    .action(async (options) => (await import('./tasks.ts')).ready(options))

  const task = loam
    .command('task')
    .description('work that is divided: task add, list, show, claim, done, release, …')
    .helpCommand(false)
  task
    .command('add')
    .description('add a task; its id goes to standard output')
    .addOption(config())
    .requiredOption('--title <line>', 'what is to be done')
    .option('--body <text>', 'what whoever does it must know, as markdown')
    .option(project, 'where it belongs; an unknown one is registered')
    .option('--depends <ids>', 'tasks to be finished first, comma-separated')
    .option('--plan <slug>', 'the plan that it is a step of')
    .action(async (options) => (await import('./tasks.ts')).add(options))
  task
    .command('list')
    .description('list tasks, the newest first')
    .addOption(config())
    .option('--id <id>', 'this one alone')
    .option(project, 'of this project; default: global')
    .option('--status <status>', 'open, in_progress, done, dropped')
    .option('--plan <slug>', 'steps of this plan')
    .option('--limit <number>', 'at most; default 50')
    .action(async (options) => (await import('./tasks.ts')).list(options))
  task
    .command('show')
    .description('print a task as JSON')
    .argument('<id>')
    .addOption(config())
    .action(async (id, options) => (await import('./tasks.ts')).show(id, options))

  const held = (name: string, description: string): Command =>
    task
      .command(name)
      .description(description)
      .argument('<id>')
      .addOption(config())
      .option('--session <name>', 'id or name of the session that acts')
      .option('--token <token>', 'of the claim under which it acts')
  for (const [name, { description, status }] of Object.entries(CHANGES)) {
    held(name, description).action(async (id, options) =>
      (await import('./tasks.ts')).change(id, status, options),
    )
  }
  for (const [name, description] of Object.entries(CLAIMS)) {
    held(name, description)
      .option('--lease <seconds>', 'how long the claim holds; default 900')
      .option('--paths <globs...>', 'files that will be changed')
      .action(async (id, options) => (await import('./tasks.ts')).claim(id, options))
  }
  held('release', 'give a task back, or take it away from whoever holds it')
    .option('--force', 'as the owner, whoever holds it')
    .action(async (id, options) => (await import('./tasks.ts')).release(id, options))
}

const CHANGES = {
  start: { description: 'say that a task is in progress, without a claim', status: 'in_progress' },
  done: { description: 'close a task that is finished', status: 'done' },
  drop: { description: 'close a task that is not worth doing', status: 'dropped' },
  reopen: { description: 'open a task again', status: 'open' },
}

const CLAIMS = {
  claim: 'take a task for a session; its claim token goes to standard output',
  heartbeat: 'go on with a claim: its lease begins anew',
}
