/** A program and its arguments as one line, for clients that hand it to a shell. */
import { platform } from 'node:os'

/** A line for a POSIX shell. */
export const forShell = (words: readonly string[]): string =>
  words
    .map((word) =>
      /^[a-z][a-z-]*$|^--[a-z-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
    )
    .join(' ')

/** A line for PowerShell: a quoted path at its beginning would be a text and not a command. */
export const forPowerShell = (words: readonly string[]): string =>
  words
    .map((word, index) => {
      if (/^[\w:\\/.=-]+$/.test(word)) return word
      const quoted = `"${word.replaceAll(/[`"$]/g, '`$&')}"`
      return index === 0 ? `& ${quoted}` : quoted
    })
    .join(' ')

export const forThisShell = (words: readonly string[]): string =>
  platform() === 'win32' ? forPowerShell(words) : forShell(words)
