import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const compiled = new WeakMap<TSchema, Validator>()

/** Whether the value is what the schema declares, as it is. For edges that have their own answer to a no. */
export const fits = <Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): value is Static<Schema> => validatorOf(schema).Check(value)

/** The schema's validator, compiled once. */
export function validatorOf(schema: TSchema): Validator {
  let validator = compiled.get(schema)
  if (!validator) compiled.set(schema, (validator = Compile(schema)))
  return validator
}
