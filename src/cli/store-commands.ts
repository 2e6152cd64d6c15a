/** The owner's commands on projects and plans. They speak to the process that has the store open. */
import { type Command, Option } from 'commander'

const config = () => new Option('--config <file>', 'the configuration file (also LOAM_CONFIG)')

/** Adds them to the program, each loading what it needs when it runs. */
export function addStoreCommands(loam: Command): void {
  addPlanCommands(loam)
  addProjectCommands(loam)
}

function addPlanCommands(loam: Command): void {
  const plan = loam
    .command('plan')
    .description('what agents mean to do: plan list, show, approve, check')
    .helpCommand(false)
  const project = [
    '--project <slug>',
    'of this project, where several have a plan of the name',
  ] as const
  plan
    .command('list')
    .description('list the plans, the one that moved last first')
    .addOption(config())
    .option('--project <slug>', 'of this project; global: of none')
    .addOption(
      new Option('--window <span>', 'that moved within it').choices(['24h', '7d', '30d', 'all']),
    )
    .action(async (options) => (await import('./plans.ts')).listPlans(options))
  plan
    .command('show')
    .description('print a plan with its steps, its notes and its text')
    .argument('<plan>', 'its slug')
    .addOption(config())
    .option(...project)
    .action(async (slug, options) => (await import('./plans.ts')).showPlan(slug, options))
  plan
    .command('approve')
    .description('agree to a captured plan; a task is made that tracks it')
    .argument('<plan>', 'its slug')
    .addOption(config())
    .option(...project)
    .action(async (slug, options) => (await import('./plans.ts')).approvePlan(slug, options))
  plan
    .command('check')
    .description(
      'say which notes of a plan name files that have changed since; fails when one does',
    )
    .argument('<plan>', 'its slug')
    .addOption(config())
    .option(...project)
    .option('--cwd <folder>', 'in the repository it is about; default: here')
    .action(async (slug, options) => (await import('./plans.ts')).checkPlan(slug, options))
}

function addProjectCommands(loam: Command): void {
  const project = loam
    .command('project')
    .description('look after projects: project list, show, rename, parent, retire, unretire')
    .helpCommand(false)
  project
    .command('list')
    .description('list every project with what it holds')
    .addOption(config())
    .action(async (options) => (await import('./projects.ts')).listProjects(options))
  project
    .command('show')
    .description('print all that is known of a project')
    .argument('<project>', 'its slug')
    .addOption(config())
    .action(async (slug, options) => (await import('./projects.ts')).showProject(slug, options))
  project
    .command('rename')
    .description('give a project another name; its slug stays')
    .argument('<project>', 'its slug')
    .argument('<name>', 'the name for people')
    .addOption(config())
    .action(async (slug, name, options) =>
      (await import('./projects.ts')).renameProject(slug, name, options),
    )
  project
    .command('parent')
    .description('have a project inherit the memories of another, or with --none of nobody')
    .argument('<project>', 'its slug')
    .argument('[parent]', 'the slug of the project it inherits from')
    .addOption(config())
    .option('--none', 'inherit from nobody any more')
    .action(async (slug, parent, options) =>
      (await import('./projects.ts')).setParent(slug, parent, options),
    )
  project
    .command('retire')
    .description('take a project out of use; all it knows stays')
    .argument('<project>', 'its slug')
    .addOption(config())
    .action(async (slug, options) =>
      (await import('./projects.ts')).setRetired(slug, true, options),
    )
  project
    .command('unretire')
    .description('take a retired project into use again')
    .argument('<project>', 'its slug')
    .addOption(config())
    .action(async (slug, options) =>
      (await import('./projects.ts')).setRetired(slug, false, options),
    )
}
