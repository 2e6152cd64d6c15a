import { Command, CommanderError, Option } from 'commander'
import { Refusal } from '../kernel/refusal.ts'
import { addClientCommands } from './client-commands.ts'
import { addStoreCommands } from './store-commands.ts'

/** The command line could not be understood. Distinct from 1, by which a command says it failed. */
const UNPARSABLE = 2

const config = () => new Option('--config <file>', 'the configuration file (also LOAM_CONFIG)')

/**
 * The whole command line. Each command loads its own modules when it runs, so that the small ones
 * start fast and need neither the database nor the rooms.
 */
export function program(): Command {
  const loam = new Command('loam')
    .description('Durable shared memory for a fleet of coding agents.')
    .showHelpAfterError('Run "loam --help" for the commands there are.')
    .configureHelp({ helpWidth: 100 })
    .exitOverride()

  loam
    .command('serve')
    .description('run the service')
    .addOption(config())
    .option('--addr <host:port>', 'listen here instead of the configured address')
    .option('--log-file <file>', 'append the log to a file instead of standard error')
    .action(async (options) => (await import('./serve.ts')).serve(options))
  loam
    .command('doctor')
    .description('look at configuration, data and service, and say what is wrong')
    .addOption(config())
    .action(async (options) => (await import('./doctor.ts')).doctor(options))
  loam
    .command('reindex')
    .description('rebuild everything that is derived from the files')
    .addOption(config())
    .action(async (options) => (await import('./operator.ts')).reindex(options))
  loam
    .command('export')
    .description('write the whole store into an empty folder')
    .addOption(config())
    .requiredOption('--to <folder>', 'a folder that is empty or does not exist')
    .action(async (options) => (await import('./operator.ts')).exportTo(options))
  loam
    .command('import')
    .description('bring in an export, a store of markdown files, or memories of another make')
    .addOption(config())
    .requiredOption('--from <path>', 'the folder or file; nothing in it is changed')
    .option('--project <slug>', 'where memories go that name no project')
    .option('--skip <slugs>', 'projects to leave out, comma-separated')
    .action(async (options) => (await import('./operator.ts')).importFrom(options))
  loam
    .command('bridge')
    .description('speak MCP on standard input and output, for clients that start a program')
    .addOption(config())
    .action(async (options) => (await import('./client.ts')).runBridge(options))
  loam
    .command('console')
    .description('open the console in a browser, signed in')
    .addOption(config())
    .option('--print', 'print the path of the page that signs in, instead of opening it')
    .action(async (options) => (await import('./console.ts')).openConsole(options))

  const key = loam
    .command('key')
    .description('say where the key is; show it, or replace it: key rotate')
    .addOption(config())
    .option('--show', 'print the key itself')
    .action(async (options) => (await import('./key.ts')).showKey(options))
  key
    .command('rotate')
    .description('replace the generated key; a restart of the service takes it up')
    .addOption(config())
    .action(async (_, command) => (await import('./key.ts')).rotate(command.optsWithGlobals()))

  addClientCommands(loam)

  loam
    .command('version')
    .description('print the version, the commit and the Node in use')
    .action(async () => (await import('./version.ts')).printVersion())

  const embeddings = loam
    .command('embeddings')
    .description('say how embeddings are, switch them, or have all vectors made again')
    .addOption(config())
  const acts = {
    status: 'say how embeddings are, and why they are off when they are (the default)',
    auto: 'use the configured provider, from the next start on',
    off: 'use no provider, from the next start on; recall then searches by words',
    reembed: 'have all vectors made again in the background; the old ones serve meanwhile',
  }
  for (const [act, description] of Object.entries(acts)) {
    embeddings
      .command(act, { isDefault: act === 'status' })
      .description(description)
      .addOption(config())
      .action(async (_, command) =>
        (await import('./embeddings.ts')).embeddings(act, command.optsWithGlobals()),
      )
  }

  const features = loam
    .command('features')
    .description('say which optional features are on, or switch them: features on research')
    .addOption(config())
  features
    .command('list', { isDefault: true })
    .description('say which are on (the default)')
    .addOption(config())
    .action(async (_, command) =>
      (await import('./features.ts')).features('list', [], command.optsWithGlobals()),
    )
  for (const act of ['on', 'off'] as const) {
    features
      .command(act)
      .description(`turn features ${act}, at once and in every process; data is kept`)
      .argument('<feature...>', 'research, momentum, gamification')
      .addOption(config())
      .action(async (names: string[], _, command) =>
        (await import('./features.ts')).features(act, names, command.optsWithGlobals()),
      )
  }
  features
    .command('reset')
    .description('forget every switch: the configuration decides again')
    .addOption(config())
    .action(async (_, command) =>
      (await import('./features.ts')).features('reset', [], command.optsWithGlobals()),
    )

  loam
    .command('map-repo')
    .description('say which project a directory, a git remote or both belong to')
    .addOption(config())
    .requiredOption('--project <slug>', 'the project; an unknown one is registered')
    .option('--path <dir>', 'the directory, with all below it; default: this one')
    .option('--remote <url>', 'the git remote, in every clone; without --path it alone')
    .action(async (options) => (await import('./projects.ts')).mapRepo(options))
  loam
    .command('repos')
    .description('list every directory and git remote that is known, with its project')
    .addOption(config())
    .action(async (options) => (await import('./projects.ts')).listMap(options))
  const family = loam
    .command('family')
    .description('projects whose briefings tell of each other: family list, add, remove')
  family
    .command('list')
    .description('list every family with its projects')
    .addOption(config())
    .action(async (options) => (await import('./projects.ts')).listFamilies(options))
  family
    .command('add')
    .description('add projects to a family, which is made when it is new')
    .argument('<family>')
    .argument('<project...>')
    .addOption(config())
    .action(async (name: string, projects: string[], options) =>
      (await import('./projects.ts')).addToFamily(name, projects, options),
    )
  family
    .command('remove')
    .alias('rm')
    .description('take projects out of a family; without any the family ends')
    .argument('<family>')
    .argument('[project...]')
    .addOption(config())
    .action(async (name: string, projects: string[], options) =>
      (await import('./projects.ts')).removeFromFamily(name, projects, options),
    )

  addStoreCommands(loam)

  const db = loam.command('db').description('work on the database as a whole: db copy')
  db.command('copy')
    .description('copy the whole database into an empty PostgreSQL server database')
    .addOption(config())
    .requiredOption('--to <url>', 'postgres://… of the database to fill')
    .action(async (options) => (await import('./operator.ts')).copyDatabase(options))

  for (const command of [loam, key, embeddings, features, family, db]) command.helpCommand(false)
  return loam
}

/** Runs one command line and leaves the exit code: 0 done, 1 failed, 2 not understood. */
export async function run(args: string[]): Promise<void> {
  try {
    await program().parseAsync(args, { from: 'user' })
  } catch (error) {
    // To a client 2 means that a hook objects, and the agent stops: a hook of ours never does.
    process.exitCode = args[0] === 'hook' ? Math.min(exitCode(error), 1) : exitCode(error)
  }
}

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : UNPARSABLE
  if (error instanceof Refusal) console.error(`loam: ${error.message}`)
  else console.error('loam: internal error:', error)
  return 1
}
