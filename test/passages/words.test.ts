import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countForms,
  formsAsked,
  weightIn,
  wordsAsked,
  wordsOf,
  wordsOfQuestion,
} from '../../src/passages/words.ts'

const lexemes = (text: string): string[] => [...wordsOf(text).counts.keys()]
const asked = (query: string): string[] => [...wordsAsked(query).keys()]
const found = (query: string, text: string): string[] => {
  const stands = new Set(lexemes(text))
  return asked(query).filter((lexeme) => stands.has(lexeme))
}

describe('words', () => {
  test.each(['parseConfig', 'parse_config', 'parse-config', 'parse/config.ts', 'ParseConfig2'])(
    'finds %s by its words',
    (name) => {
      expect(found('how to parse a config', name)).toEqual(['pars', 'config'])
    },
  )

  test('finds an identifier whole, however it is spelled', () => {
    for (const name of ['parseConfig', 'parse_config', 'PARSE-CONFIG']) {
      expect(found(name, 'see parseConfig'), name).toContain('=parseconfig')
    }
    expect(found('src\\cli\\key.ts', 'edit src/cli/key.ts')).toContain('=src/cli/key.ts')
    expect(found('1.2.3', 'released as v1.2.3 and 1.2.3')).toContain('=1.2.3')
    expect(found('getTimes', 'call gettimes()')).toContain('gettim')
  })

  test('weighs the words of an identifier over the identifier, which repeats them', () => {
    expect(wordsAsked('parseConfig')).toEqual(
      new Map([
        ['pars', 1],
        ['config', 1],
        ['parseconfig', 0.25],
        ['=parseconfig', 0.5],
      ]),
    )
  })

  test('takes words that a question has for its own sake for half, unless it has no others', () => {
    const weights = (question: string) => Object.fromEntries(wordsOfQuestion(question))
    expect(weights('how many tokens may one session use')).toEqual({
      ...{ mani: 0.5, token: 1, may: 0.5, one: 1, session: 1, use: 0.5 },
    })
    expect(weights('use it')).toEqual({ use: 1 })
    for (const question of ['used and useful caches', 'useful and used caches']) {
      expect(weights(question), question).toEqual({ use: 1, cach: 1 })
    }
  })

  test('knows languages whose names are signs', () => {
    expect(asked('c++ or C# (not c)')).toEqual(['=c++', '=c#', 'c'])
  })

  test.each([
    ['running tests', 'the test ran after a run of tests'],
    ['naive cafe', 'Naïve Café'],
    ['STRASSE', 'Straße'],
    ['ｆｕｌｌ width', 'full width'],
    ["the server's log", 'servers logged it'],
    ['ΟΔΟΣ', 'οδος'],
    ['عربية', 'لُغَةٌ عَرَبِيَّةٌ'],
    ['احمد', 'كتب أحمد الملف'],
    ['محمد', 'محـــمد'],
    ['שלום', 'שָׁלוֹם עולם'],
    ['सड़क', 'सड\u093cक पर'],
    ['सडक', 'सड़क पर'],
    ['Datenbankverbindung', 'die Daten\u00adbank\u00adverbindung'],
    ['Daten\u00adbank', 'die Datenbank'],
    ['com.example.Relay', 'com.\u200bexample.\u200bRelay'],
  ])('finds %j in %j', (query, text) => {
    expect(found(query, text)).not.toEqual([])
  })

  test('finds scripts without spaces by pairs of characters, and a single one of Han or Hangul', () => {
    expect(asked('黒猫が')).toEqual(['黒猫', '猫が'])
    expect(found('猫', '黒猫が好き')).toEqual(['猫'])
    expect(found('データベース', '分散データベースの設計')).toHaveLength(5)
    expect(found('한국어', '한국어로 쓴 글')).toEqual(['한국', '국어'])
    expect(found('큐', '큐가 막히면 워커를 늘린다')).toEqual(['큐'])
    expect(found('สวัสดี', 'คำว่าสวัสดีครับ')).not.toEqual([])
    expect(asked('Python入門')).toEqual(['python', '入門'])
  })

  test('asks for nothing when a query has only stop words, or none', () => {
    for (const query of ['', 'the', 'What is this about?', '!?* & | ()', "don't", '\u0000\ud800']) {
      expect(asked(query), query).toEqual([])
    }
  })

  test('leaves stop words out of a query and keeps them in the text', () => {
    expect(asked('the cache of tides')).toEqual(['cach', 'tide'])
    expect(lexemes('the cache')).toEqual(['the', 'cach'])
  })

  test('counts each word of an identifier once in the length', () => {
    expect(wordsOf('parseConfig reads src/config.ts').length).toBe(6)
  })

  test('cuts giant words, never between the halves of a character', () => {
    expect(lexemes('a'.repeat(100_000))).toEqual(['a'.repeat(64)])
    for (const lexeme of lexemes(`x${'𐐷'.repeat(500)}_${'𐐷'.repeat(500)}`)) {
      expect(lexeme.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(lexeme)).toBeLessThan(700)
    }
  })

  test.each([
    ['it ends. Then, more', ['it', 'end', 'then', 'more']],
    ['see queue->head', ['see', 'queue', 'head', '=queue->head']],
    ['see queue-> head', ['see', 'queue', 'head']],
    ['std::map, std: map', ['std', 'map', '=std::map']],
    ['half-open (half- open)', ['half', 'open', 'halfopen', '=halfopen']],
    ['and/or. and/ or', ['and', 'or', '=and/or']],
    ['wait...what', ['wait', 'what']],
    ['c++ and c + b', ['=c++', 'and', 'c', 'b']],
    ['say `run` or `run it`', ['say', 'run', '=run', 'or', 'it']],
    ["it's Bob's. 'tis", ['it', 'bob', 'tis']],
    ['Naïve Cafe', ['naiv', 'cafe']],
  ])('tells what ends a word from what joins two in %j', (text, read) => {
    expect(lexemes(text)).toEqual(read)
  })

  test('reads the same of two texts, beside each other and apart', () => {
    const sign = fc.constantFrom(..."aBz9_-.:/\\@'’+#`>,( \né漢")
    const piece = fc.oneof(fc.constantFrom('plain', 'Words', 'HTTPServer', 'x1', '->', '::'), sign)
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const apart = [wordsOf(one), wordsOf(other)]
        const { counts, length } = wordsOf(`${one}\n\n${other}`)
        expect(length).toBe(apart[0]!.length + apart[1]!.length)
        for (const [lexeme, count] of counts) {
          expect(count).toBe(apart.reduce((sum, { counts }) => sum + (counts.get(lexeme) ?? 0), 0))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('weighs each word of a question once in a text, and counts its forms as they are written', () => {
    const text = 'Lists, a list and a LIST; listed: naïve\nlist_all'
    expect(weightIn(text, wordsAsked('a list of naive ones'))).toBe(2)
    const counts = (text: string) => {
      const found = countForms(text, formsAsked('the list, listed naive'))
      return { length: found.length, ...Object.fromEntries(found.counts) }
    }
    expect(counts(text)).toEqual({ length: 10, list: 3, listed: 1, naive: 1 })
    expect(counts('Lists, a list and a LIST; listed: it')).toEqual({
      length: 8,
      list: 2,
      listed: 1,
    })
  })

  test('weighs in a text what its lexemes say, whatever the words are', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-zA-Z]{1,12}(ing|ed|ies|ly|ness|'s)?$/),
      fc.constantFrom('skies', 'dying', 'Lying', 'ugly', 'only', 'news', 'yes', 'BY', 'youths'),
      fc.constantFrom('parseConfig', 'src/main.ts', 'café', 'Ångström', 'sha256', '`id`', 'λόγος'),
      fc.stringMatching(/^[\x20-\x7e]{1,8}$/),
    )
    const texts = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(texts, texts, (text, query) => {
        const { counts } = wordsOf(text)
        const asked = wordsAsked(`${query} ${text.slice(0, text.length / 2)}`)
        const sum = [...asked].reduce(
          (sum, [lexeme, weight]) => sum + (counts.has(lexeme) ? weight : 0),
          0,
        )
        expect(weightIn(text, asked)).toBeCloseTo(sum, 9)
      }),
      { numRuns: 2_000 },
    )
  })

  test('takes any text, and gives lexemes that a tsvector can hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const fit = (lexeme: string): boolean =>
          lexeme !== '' && lexeme.isWellFormed() && !/[\0'\\\s]/.test(lexeme)
        expect([...lexemes(text), ...asked(text)].filter((lexeme) => !fit(lexeme))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  test('finds every text by itself, unless it is all stop words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(found(text, text)).toEqual(asked(text))
      }),
      { numRuns: 2_000 },
    )
  })
})
