/**
 * Types from the spelling of arguments and options. A command declares them as its help shows them,
 * `<words...>` or `--log-file <file>`, and receives them by name.
 */

/** A single option that its spelling does not describe in full. */
export interface OptionNotes {
  text: string
  required?: true
  default?: string
  choices?: readonly string[]
}

/** By spelling: what the help says of it. An argument may do without words. */
export type Arguments = Readonly<Record<string, string>>
export type Options = Readonly<Record<string, string | OptionNotes>>

type Unwrapped<Spelled> = Spelled extends `<${infer Inner}>` | `[${infer Inner}]` ? Inner : never
type ArgumentName<Spelled> =
  Unwrapped<Spelled> extends `${infer Name}...` ? Name : Unwrapped<Spelled>
type ArgumentValue<Spelled> = Spelled extends `${string}...${string}`
  ? string[]
  : Spelled extends `<${string}`
    ? string
    : string | undefined

type Camel<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name
type Flag<Spelled> = Spelled extends `--${infer Name} ${string}`
  ? Name
  : Spelled extends `--${infer Name}`
    ? Name
    : never
type OptionName<Spelled> = Camel<Flag<Spelled> extends `no-${infer Name}` ? Name : Flag<Spelled>>
type OptionValue<Spelled, Notes> = Spelled extends `--no-${string}`
  ? boolean
  : Spelled extends `${string}...>`
    ? string[] | undefined
    : Spelled extends `${string}>`
      ? Notes extends { required: true } | { default: string }
        ? string
        : string | undefined
      : true | undefined

/** What a command receives: its arguments and its options, each by its name. */
export type Values<A extends Arguments, O extends Options> = {
  [Spelled in keyof A as ArgumentName<Spelled> & string]: ArgumentValue<Spelled>
} & { [Spelled in keyof O as OptionName<Spelled> & string]: OptionValue<Spelled, O[Spelled]> }

/** `<words...>` → `words`. */
export const argumentName = (spelled: string): string => spelled.replaceAll(/[<>[\].]/g, '')
