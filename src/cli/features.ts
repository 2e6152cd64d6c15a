/** The owner's switches: which optional features are on. */
import { loadConfig } from '../config.ts'
import { operate } from './operator.ts'

interface Options {
  config?: string
}

/** Turns what is named on or off, gives all of it back to the configuration, or says how it is. */
export async function features(
  act: 'list' | 'on' | 'off' | 'reset',
  names: readonly string[],
  { config: file }: Options,
): Promise<void> {
  const switches = Object.fromEntries(names.map((name) => [name, act === 'on']))
  const { effective, configured } = await operate(await loadConfig({ file }), 'features', {
    ...(act === 'reset' && { reset: true }),
    ...(names.length > 0 && { switches }),
  })
  for (const [name, on] of Object.entries(effective)) {
    const stored = configured[name as keyof typeof configured] === on ? '' : ', by a stored switch'
    console.log(`${name}: ${on ? 'on' : 'off'}${stored}`)
  }
}
