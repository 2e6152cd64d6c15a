/**
 * A part of a view says the same wherever it is given the same, so it is made once: a glyph, an icon, a session that
 * many rows name.
 */
import { ForTag, RenderTag, type Context, type Emitter, type Liquid } from 'liquidjs'
import { keyOfData, type KeptParts } from './kept-parts.ts'

/** The name of a part, and arguments that are written out. */
const CONSTANT = /^[\w/-]+(?:\s*,\s*\w+:\s*(?:'[^']*'|\d+|true|false))*\s*$/
/** The name of a part, and arguments of whatever value. */
const PLAIN = /^[\w/-]+(?:\s*,\s*\w+:\s*[^\s,]+)*\s*$/

type Given = Record<string, unknown>

/** A text, and until when it says the truth. */
interface MadePart {
  text: string
  until: number
}

/** What parts became, by the frozen object that they were given, if any, and then by the rest. */
type Made = Map<unknown, Map<string, MadePart>>

/**
 * Teaches the engine to make a part without an argument that could differ once for each place where it stands, and one
 * that is given words and a frozen object at most once for each page. What is made for each of many, a row, is kept
 * beyond its page, and so is what `keep` makes: a `render` of a whole list. `begin` is to be called before each page.
 */
export function renderPartsOnce(engine: Liquid, rows: KeptParts): { begin(): void } {
  let made: Made = new Map()
  let loops = 0

  engine.registerTag(
    'for',
    class extends ForTag {
      constructor(...given: ConstructorParameters<typeof ForTag>) {
        loops++
        try {
          super(...given)
        } finally {
          loops--
        }
      }
    },
  )

  class Once extends RenderTag {
    readonly #isConstant = CONSTANT.test(this.token.args)
    readonly #isPlain = PLAIN.test(this.token.args)
    readonly #isKept = loops > 0 || this.name === 'keep'
    #own: string | undefined;

    override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      if (this.#own !== undefined) return emitter.write(this.#own)
      const given = this.#isPlain ? ((yield this['hash'].render(context)) as Given) : undefined
      const place = given && placeOf(made, given)
      const key = place ? keyOf(this.token.args, given) : ''
      const before = place?.get(key)
      if (before !== undefined) {
        rows.says(before.until)
        return emitter.write(before.text)
      }
      if (!place) {
        const row = given && this.#isKept && keyOfData(this.token.args, given)
        return row ? yield* this.#row(row, context, emitter) : yield* super.render(context, emitter)
      }
      const part = yield* this.#part(context)
      if (this.#isConstant) this.#own = part.text
      else place.set(key, part)
      emitter.write(part.text)
    }

    *#row(key: string, context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const before = rows.find(key)
      if (before !== undefined) return emitter.write(before)
      const { text, until } = yield* this.#part(context)
      rows.keep(key, text, until)
      emitter.write(text)
    }

    *#part(context: Context): Generator<unknown, MadePart, unknown> {
      const part = new Part()
      rows.begin()
      let until = 0
      try {
        yield* super.render(context, part)
      } finally {
        until = rows.end()
      }
      return { text: part.buffer, until }
    }
  }
  engine.registerTag('render', Once)
  engine.registerTag('keep', Once)
  return { begin: () => void (made = new Map()) }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const WORDS = new Set(['string', 'number', 'boolean', 'undefined'])
const isWord = (value: unknown): boolean => value === null || WORDS.has(typeof value)

/** Undefined for what may differ from one time to the next. */
function placeOf(made: Made, given: Given): Map<string, MadePart> | undefined {
  const [object, ...more] = Object.values(given).filter((value) => !isWord(value))
  if (more.length > 0 || (object !== undefined && !(isObject(object) && Object.isFrozen(object))))
    return undefined
  const place = made.get(object) ?? new Map<string, MadePart>()
  made.set(object, place)
  return place
}

const keyOf = (args: string, given: Given): string =>
  JSON.stringify([args, Object.values(given).filter(isWord)])

/** The text of a part by itself: to cut it out of the page would read the page each time. */
class Part implements Emitter {
  buffer = ''

  write(text: unknown): void {
    this.buffer += String(text ?? '')
  }
}
