/** The commands of an agent's machine: they know the service's address and its key, and nothing else of it. */
import { Option, type Command } from 'commander'
import { addTaskCommands } from './task-commands.ts'

const config = () =>
  new Option(
    '--config <file>',
    'where the service is: a client file, or its own (also LOAM_CONFIG)',
  )

const places = (command: Command): Command =>
  command
    .option('--settings <file>', "Claude Code's settings, when they lie elsewhere")
    .option('--codex-hooks <file>', "Codex's hooks, when they lie elsewhere")
    .option('--desktop-config <file>', "the desktop app's configuration, when it lies elsewhere")
    .option('--no-mcp', 'leave the MCP servers of the clients alone')

/** Adds them to the program, each loading what it needs when it runs. */
export function addClientCommands(loam: Command): void {
  loam
    .command('hook')
    .description("answer one hook of an agent's client: its payload on standard input")
    .argument('<event>', 'session-start, user-prompt-submit, session-end, …')
    .addOption(config())
    .option('--client <name>', 'claude-code or codex', 'claude-code')
    .action(async (event, options) => (await import('./hook.ts')).runHook(event, options))
  places(
    loam
      .command('install-hooks')
      .description('put hooks, tools and skills into the clients of this machine')
      .addOption(config())
      .option('--client <names>', 'claude, codex, claude-desktop, all, detect', 'detect')
      .option('--url <url>', 'where the service answers; kept for all client commands')
      .option('--no-skills', 'install no skills'),
  ).action(async (options) => (await import('./install-hooks.ts')).installHooks(options))
  places(
    loam
      .command('uninstall')
      .description('take hooks, tools and skills out of the clients again; data stays')
      .option('--client <names>', 'claude, codex, claude-desktop, all', 'all')
      .option('--dry-run', 'say what would be removed, and remove nothing'),
  ).action(async (options) => (await import('./install-hooks.ts')).uninstall(options))
  loam
    .command('connect')
    .description('print what a client needs to reach the service')
    .argument('<client>', 'claude-code, codex, cursor, vscode, opencode')
    .addOption(config())
    .action(async (client, options) => (await import('./connect.ts')).connect(client, options))
  loam
    .command('mcp-headers')
    .description('print the header that lets a client in, as JSON')
    .addOption(config())
    .action(async (options) => (await import('./connect.ts')).mcpHeaders(options))
  addAgentCommands(loam)
  addTaskCommands(loam, config)
}

/** What an agent does through its tools, for people and scripts. */
function addAgentCommands(loam: Command): void {
  const project = '--project <slug>'
  loam
    .command('prime')
    .description('start a session here and print its briefing')
    .addOption(config())
    .option('--cwd <folder>', 'where the work is; default: here')
    .option('--name <name>', 'a name for the session; one that exists is resumed')
    .action(async (options) => (await import('./agent-commands.ts')).prime(options))
  loam
    .command('remember')
    .description('write a memory; its body from standard input, unless --body is given')
    .addOption(config())
    .requiredOption('--name <name>', 'what it is called')
    .requiredOption('--kind <kind>', 'constraint, convention, runbook, gotcha, decision, …')
    .requiredOption('--description <line>', 'the one line that briefings show')
    .option('--body <text>', 'the whole of it, as markdown')
    .option(project, 'where it holds; global: everywhere')
    .action(async (options) => (await import('./agent-commands.ts')).remember(options))
  loam
    .command('recall')
    .description('search what agents have written down')
    .argument('<words...>', 'what you want to know')
    .addOption(config())
    .option('--scope <scope>', 'all, memories, notes, tasks, trials, sessions')
    .option(project, 'search there, and in global')
    .option('--limit <number>', 'hits at most; default 10')
    .action(async (words, options) => (await import('./agent-commands.ts')).recall(words, options))
  loam
    .command('capture')
    .description('keep a public web page as a note')
    .argument('<url>', 'an http or https address')
    .addOption(config())
    .option(project, 'where the note belongs')
    .action(async (url, options) => (await import('./agent-commands.ts')).capture(url, options))
  loam
    .command('fav')
    .description('star an item, or take its star away')
    .argument('<kind>', 'memory, note, project, plan, task, session, trial')
    .argument('<id>', "a memory's name, a slug or an id")
    .addOption(config())
    .option('--off', 'take the star away')
    .option(project, 'where a name or slug is looked up')
    .action(async (kind, id, options) =>
      (await import('./agent-commands.ts')).fav(kind, id, options),
    )
  loam
    .command('usage')
    .description('say how much is kept and what becomes of it')
    .addOption(config())
    .action(async (options) => (await import('./agent-commands.ts')).usage(options))
  loam
    .command('sessions')
    .description('list the sessions of late, or print one as JSON')
    .argument('[id]', 'of one session')
    .addOption(config())
    .option('--status <status>', 'active, idle, completed, expired')
    .action(async (id, options) => (await import('./agent-commands.ts')).sessions(id, options))
  loam
    .command('status')
    .description('say whether the service is well')
    .addOption(config())
    .action(async (options) => (await import('./agent-commands.ts')).status(options))
}
