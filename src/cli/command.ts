/**
 * The socket of the command line: what a command is. One file declares one command, and a command
 * that works on the store declares in the same file what the process with the open store does for it.
 *
 * Declarations are read for the help, so their files load quickly: the database, the rooms and the
 * MCP client are imported by `run` and `work` when they need them.
 */
import type { Static, TObject } from 'typebox'
import type { App } from '../app.ts'
import type { Settings } from '../config.ts'
import type { Client } from '../config/client.ts'
import type { Place } from '../config/place.ts'
import type { Machine } from './machine.ts'
import type { Arguments, Options, Values } from './spelling.ts'

/** Whose machine a command runs on. It decides which file `--config` names. */
export type Audience = 'agent' | 'operator'

/** The part of a command that the process with the open store carries out. */
export interface Operation<Input extends TObject = TObject, Result = unknown> {
  input: Input
  work(house: App, input: Static<Input>): Promise<Result>
}

/** One run of a command: the machine, and its two outputs by the line. */
interface Call extends Machine {
  /** Prints a line on standard output. */
  say(line: string): void
  /** Prints a line on standard error. */
  complain(line: string): void
  /** Finds the service that the command asks, and says which it is. */
  client(): Promise<Client>
}

/** What a command of the agent's machine can reach: the service, by its address and its key. */
export interface AgentCall extends Call {
  /** The file that --config names, as it was typed. */
  config: string | undefined
  /** Returns the answer of one tool. Refuses in the tool's own words. */
  tool(name: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
  /** Returns the console's JSON. Refuses in the console's own words. */
  console(path: string, method?: 'GET' | 'POST'): Promise<unknown>
}

/** What a command of the operator can reach: the whole configuration, and the store. */
export interface OperatorCall<Input = object, Result = unknown> extends Call {
  /** The configuration that a service starts with. */
  configured(overrides: { addr: string | undefined }): Promise<Settings>
  /** Finds what the command speaks of, and says so. */
  place(): Promise<Place>
  /** The settings of the store that it speaks of. Refuses when none stands. */
  settings(): Promise<Settings>
  /** Has the command's operation done by the process with the open store; opens it if there is none. */
  operate(input: Input): Promise<Result>
  /** Returns the operation of any command; a service answers requests for all of them. */
  operationOf(name: string): Promise<Operation | undefined>
}

/** Returns the exit code; nothing for 0. */
type Exit = Promise<number | void>

interface Declaration<A extends Arguments, O extends Options> {
  /** As it is typed: `serve`, `task claim`. The file is named after it, with hyphens for spaces. */
  name: string
  /** The line of the help. */
  summary: string
  alias?: string
  arguments?: A
  options?: O
  /** False: the command reads no configuration and takes no --config. */
  config?: false
  /** It may make the store that it works on; all others speak of one that stands. */
  makes?: true
  /**
   * Where nothing names a service, it asks that of the working directory, on this machine and with the key
   * that lies there. Others would bring a stranger's service the words of the user.
   */
  asksHere?: true
  /** Its standard output is read by a client's program alone, which gets every byte as it is. */
  protocol?: true
  /** The exit code when its arguments could not be understood; 2 unless it says otherwise. */
  unparsable?: number
}

interface AgentCommand<A extends Arguments, O extends Options> extends Declaration<A, O> {
  for: 'agent'
  run(values: Values<A, O>, call: AgentCall): Exit
}

interface OperatorCommand<
  A extends Arguments,
  O extends Options,
  Input extends TObject,
  Result,
> extends Declaration<A, O> {
  for: 'operator'
  operation?: Operation<Input, Result>
  run(values: Values<A, O>, call: OperatorCall<Static<Input>, Result>): Exit
}

/** A command as the loader sees it, whatever its values are. */
export interface Command extends Declaration<Arguments, Options> {
  for: Audience
  operation?: Operation
  run(values: object, call: Call): Exit
}

export function defineCommand<
  const A extends Arguments = Record<never, string>,
  const O extends Options = Record<never, string>,
>(command: AgentCommand<A, O>): Command
export function defineCommand<
  const A extends Arguments = Record<never, string>,
  const O extends Options = Record<never, string>,
  Input extends TObject = TObject,
  Result = unknown,
>(command: OperatorCommand<A, O, Input, Result>): Command
export function defineCommand(command: unknown): Command {
  return command as Command
}
