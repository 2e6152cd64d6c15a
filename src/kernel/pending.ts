/** An object that is handed on before it is whole, to whoever keeps it now and asks it later. */
export interface Pending<Whole extends object, Missing extends keyof Whole> {
  whole: Whole
  complete(missing: Pick<Whole, Missing>): void
}

/**
 * Returns an object that lacks some of its properties until it is completed. Whoever asks for one of them too early
 * is told so by an error, at the place that asks.
 */
export function pending<Whole extends object, Missing extends keyof Whole>(
  given: Omit<Whole, Missing>,
  missing: readonly Missing[],
): Pending<Whole, Missing> {
  const whole = { ...given } as Whole
  for (const name of missing) {
    Object.defineProperty(whole, name, {
      ...{ configurable: true, enumerable: true },
      get() {
        throw new Error(`"${String(name)}" was asked for before it stands`)
      },
    })
  }
  return {
    whole,
    complete(found) {
      for (const name of missing) {
        Object.defineProperty(whole, name, {
          ...{ configurable: true, enumerable: true, writable: true, value: found[name] },
        })
      }
    },
  }
}
