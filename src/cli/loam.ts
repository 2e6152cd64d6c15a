/** The program: it finds the command that was typed, loads it alone, runs it and returns the exit code. */
import { format } from 'node:util'
import { Command as Parser, CommanderError, Option } from 'commander'
import { Refusal } from '../kernel/refusal.ts'
import { callOf } from './call.ts'
import type { Audience, Command } from './command.ts'
import { COMMANDS, type Group, isGroup, type Listed, load } from './commands.ts'
import { harmless, type Machine, thisMachine } from './machine.ts'
import { argumentName } from './spelling.ts'

/** The command line could not be understood. Distinct from 1, by which a command says it failed. */
const UNPARSABLE = 2

const CONFIG: Record<Audience, string> = {
  operator: 'the configuration file (also LOAM_CONFIG)',
  agent: 'where the service is: a client file, or its own (also LOAM_CONFIG)',
}

/** Runs one command line. Returns the exit code: 0 done, 1 failed, 2 not understood. */
export async function run(
  argv: readonly string[],
  machine: Machine = thisMachine(),
): Promise<number> {
  let chosen: Command | undefined
  let code = 0
  try {
    const loam = await program(machine, meant(argv), {
      loaded: (command) => (chosen = command.name === argv[0] ? command : chosen),
      done: (exit) => (code = exit),
    })
    await loam.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? 0 : (chosen?.unparsable ?? UNPARSABLE)
    const why =
      error instanceof Refusal ? `loam: ${error.message}` : format('loam: internal error:', error)
    harmless(machine.stderr).write(`${why}\n`)
    return 1
  }
}

/**
 * The commands that a line can mean: the one that it names, or those below the word that it names.
 * Of a line that names none, all: what it gets is the help.
 */
function meant([first = '', second = '']: readonly string[]): readonly (Listed | Group)[] {
  const exact = COMMANDS.filter(({ name }) => name === first || name === `${first} ${second}`)
  if (exact.length > 1) return exact
  const below = COMMANDS.filter(({ name }) => name === first || name.startsWith(`${first} `))
  return below.length > 0 ? below : COMMANDS
}

interface Observer {
  loaded(command: Command): void
  done(code: number): void
}

/** The parser of the whole command line, or of the entries that are given. */
export async function program(
  machine: Machine = thisMachine(),
  entries: readonly (Listed | Group)[] = COMMANDS,
  observer?: Observer,
): Promise<Parser> {
  const loam = new Parser('loam')
    .description('Durable shared memory for a fleet of coding agents.')
    .showHelpAfterError('Run "loam --help" for the commands there are.')
    .configureHelp({ helpWidth: 100 })
    .configureOutput({
      writeOut: (text) => void harmless(machine.stdout).write(text),
      writeErr: (text) => void harmless(machine.stderr).write(text),
    })
    .exitOverride()
    .helpCommand(false)
  const groups = new Map<string, { parser: Parser; fallback?: string | undefined }>()
  for (const entry of entries) {
    const [word = '', below] = entry.name.split(' ')
    const above = below === undefined ? undefined : groups.get(word)
    const isDefault = below !== undefined && above?.fallback === below
    const parser = (above?.parser ?? loam).command(below ?? word, { isDefault }).helpCommand(false)
    if (below === undefined)
      groups.set(word, { parser, fallback: isGroup(entry) ? entry.fallback : undefined })
    if (isGroup(entry)) {
      parser.description(entry.summary)
      if (entry.config) addPlace(parser, entry.config)
      continue
    }
    const command = await load(entry)
    observer?.loaded(command)
    declare(parser, command)
    parser.action(async () => {
      const names = Object.keys(command.arguments ?? {}).map(argumentName)
      const given = names.map((name, index) => [name, parser.processedArgs[index]] as const)
      const options = parser.optsWithGlobals<{ config?: string; quiet?: true }>()
      const call = callOf(command, machine, options)
      const values = { ...options, ...Object.fromEntries(given) }
      observer?.done((await command.run(values, call)) ?? 0)
    })
  }
  return loam
}

/** What names the service or the store, and whether that is said. */
function addPlace(parser: Parser, audience: Audience, saysNothing = false): void {
  parser.option('--config <file>', CONFIG[audience])
  if (!saysNothing) parser.option('-q, --quiet', 'do not say which service or store is asked')
}

/** Tells the parser what a command takes, in the order of the help. */
function declare(parser: Parser, command: Command): void {
  parser.description(command.summary)
  if (command.alias) parser.alias(command.alias)
  for (const [spelled, text] of Object.entries(command.arguments ?? {}))
    parser.argument(spelled, text)
  if (command.config !== false)
    addPlace(parser, command.for, command.protocol || command.name === 'serve')
  for (const [spelled, notes] of Object.entries(command.options ?? {})) {
    const {
      text,
      required,
      choices,
      default: usual,
    } = typeof notes === 'string' ? { text: notes } : notes
    const option = new Option(spelled, text)
    if (required) option.makeOptionMandatory()
    if (choices) option.choices(choices)
    if (usual !== undefined) option.default(usual)
    parser.addOption(option)
  }
}
