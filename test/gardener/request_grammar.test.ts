import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FORMS, readForm } from '../../src/gardener/request/grammar.ts'

/** Memories as a form names them: each list is one between commas. */
const of = (...names: (string | string[])[]) => ({
  names: names.map((name) => [name].flat()),
  said: expect.any(String),
})
const archive = (...names: (string | string[])[]) => ({ form: 'archive', of: of(...names) })
const fitting = (filter: object) => ({ form: 'archive-all', filter: { tags: [], ...filter } })
const duplicates = (keep: object, ...names: (string | string[])[]) => ({
  ...{ form: 'duplicates', of: of(...names), keep },
})
const move = (to: string, ...names: (string | string[])[]) => ({
  form: 'move',
  of: of(...names),
  to,
})
const moving = (to: string, filter: object) => ({
  ...{ form: 'move-all', filter: { tags: [], ...filter }, to },
})
const rekind = (to: string, ...names: (string | string[])[]) => ({
  ...{ form: 'rekind', of: of(...names), to },
})
const split = (source: string, children: string[], shared?: string) => ({
  ...{ form: 'split', source, children },
  ...(shared && { shared }),
})
const NEWER = { pick: 'newer' }

describe('what is understood without a model', () => {
  test.each<[string, object]>([
    ['archive tides', archive('tides')],
    ['  Please, ARCHIVE Tides!!', archive('Tides')],
    ['could you please archive tides?', archive('tides')],
    ["let's archive tides, thanks!", archive('tides')],
    ['archive thanks', archive('thanks')],
    ['retire tides, gauges and buoys', archive('tides', ['gauges', 'buoys'])],
    ['drop tides,gauges, and buoys', archive('tides', 'gauges', 'buoys')],
    ['drop both tides and gauges', archive(['tides', 'gauges'])],
    ['archive 01K9ZC4T7Q8V2M5N6P3R1S0WXY', archive('01K9ZC4T7Q8V2M5N6P3R1S0WXY')],
    ['archive atlas/tides and [[delta/a, b|B]]', archive(['atlas/tides', '[[delta/a, b|B]]'])],
    ['archive "a, b and c because d" and `e`', archive(['"a, b and c because d"', '`e`'])],
    ['archive “search and rescue”, „Ö und Ü“', archive('“search and rescue”', '„Ö und Ü“')],
    ["archive bob's log and the users' guide", archive(["bob's log", "the users' guide"])],
    ['archive "half a quotation', archive('"half a quotation')],
    ['archive [[half a link', archive('[[half a link')],
    ['archive 潮汐, 港口。', archive('潮汐', '港口。')],
    ['archive (tides)', archive('tides')],
    ['archive v1.2.3', archive('v1.2.3')],
    ['archive gotcha', archive('gotcha')],
    ['archive decisions', archive('decisions')],
    ['archive constructor', archive('constructor')],
    [
      'archive tides because it is over, and because I say so.',
      { ...archive('tides'), reason: 'it is over, and because I say so' },
    ],
    [
      'archive the older of tides and gauges',
      { form: 'archive', of: { ...of(['tides', 'gauges']), pick: 'older' } },
    ],
    ['archive the most recent tides', { form: 'archive', of: { ...of('tides'), pick: 'newer' } }],
    ['archive anything about tide gauges', fitting({ topic: 'tide gauges' })],
    [
      'Archive everything about tides and buoys older than 3 weeks, of kind Gotchas and tagged "left over", ops',
      fitting({ topic: 'tides and buoys', days: 21, kind: 'gotcha', tags: ['left over', 'ops'] }),
    ],
    ['archive all of the gotchas older than a year', fitting({ kind: 'gotcha', days: 365 })],
    ['archive memories that are tagged with Ops', fitting({ tags: ['Ops'] })],
    ['archive decisions about harbors', fitting({ kind: 'decision', topic: 'harbors' })],
    ['archive every stage', fitting({ kind: 'stage' })],
    ['archive anything of kind poem', fitting({ kind: 'poem' })],
    [
      'archive anything in project delta older than 99999 years',
      fitting({ project: 'delta', days: 36_500 }),
    ],
    [
      'archive all memories about "older than time" because they lie',
      { ...fitting({ topic: '"older than time"' }), reason: 'they lie' },
    ],
    ['merge A into B', { form: 'merge', drop: of('A'), keep: 'B' }],
    [
      'fold A, "B into C" and D into the E because F',
      { form: 'merge', drop: of('A', ['"B into C"', 'D']), keep: 'the E', reason: 'F' },
    ],
    ['merge A and B', duplicates(NEWER, ['A', 'B'])],
    ['merge A with B, keep the oldest one', duplicates({ pick: 'older' }, ['A', 'B'])],
    ['A and B are duplicates', duplicates(NEWER, ['A', 'B'])],
    [
      'A, B and C are duplicates of each other; keep B.',
      duplicates({ name: 'B' }, 'A', ['B', 'C']),
    ],
    ['A and B are duplicates, keep the newer', duplicates(NEWER, ['A', 'B'])],
    ['A and B are duplicates. Keep older', duplicates({ pick: 'older' }, ['A', 'B'])],
    ['A and B are duplicates - keep "X and Y"', duplicates({ name: '"X and Y"' }, ['A', 'B'])],
    ['merge and split are duplicates', duplicates(NEWER, ['merge', 'split'])],
    ['find duplicates', { form: 'find-duplicates' }],
    [
      'show me all duplicate memories about the tides',
      { form: 'find-duplicates', topic: 'the tides' },
    ],
    ['look for duplicates', { form: 'find-duplicates' }],
    ['move tides to atlas', move('atlas', 'tides')],
    [
      'move tides, "how to go" to the Atlas project because it is theirs',
      { ...move('the Atlas project', 'tides', '"how to go"'), reason: 'it is theirs' },
    ],
    ['move how to go to sea to global', move('global', 'how to go to sea')],
    ['move tides from delta to atlas', { ...move('atlas', 'tides'), from: 'delta' }],
    ['tides belongs in atlas.', move('atlas', 'tides')],
    ['tides and gauges belong to atlas', move('atlas', ['tides', 'gauges'])],
    ['move everything tagged ops from P to Q', moving('Q', { tags: ['ops'], project: 'P' })],
    [
      'move all gotchas about tides from P to Q',
      moving('Q', { kind: 'gotcha', topic: 'tides', project: 'P' }),
    ],
    ['move everything of kind runbook to Q', moving('Q', { kind: 'runbook' })],
    ['move everything from P to Q', moving('Q', { project: 'P' })],
    ['tides is a gotcha', rekind('gotcha', 'tides')],
    ['Tides is a Gotcha, not a decision!', rekind('gotcha', 'Tides')],
    ['tides is a gotcha (not a decision)', rekind('gotcha', 'tides')],
    ['tides and gauges are runbooks', rekind('runbook', ['tides', 'gauges'])],
    ['tides should be a constraint', rekind('constraint', 'tides')],
    ['tides is refuted', rekind('refuted', 'tides')],
    ['gotcha is a decision', rekind('decision', 'gotcha')],
    ['archive is a decision', rekind('decision', 'archive')],
    ['make tides a runbook', rekind('runbook', 'tides')],
    ['turn tides and gauges into conventions', rekind('convention', ['tides', 'gauges'])],
    ['reclassify tides, gauges as a protocol', rekind('protocol', 'tides', 'gauges')],
    ['reclassify tides as poem', rekind('poem', 'tides')],
    ['mark tides as reference', rekind('reference', 'tides')],
    ['split atlas', split('atlas', [])],
    ['split up atlas into web and api', split('atlas', ['web', 'api'])],
    [
      'split atlas into web, api and cli shared core',
      split('atlas', ['web', 'api', 'cli'], 'core'),
    ],
    ['split atlas into web and api, with shared core', split('atlas', ['web', 'api'], 'core')],
    ['split atlas into web, shared and api', split('atlas', ['web', 'shared', 'api'])],
    ['split atlas into web and shared', split('atlas', ['web', 'shared'])],
    ['split the atlas project into two', split('the atlas project', [])],
    ['consolidate A, B and C into D', { form: 'consolidate', of: of('A', ['B', 'C']), name: 'D' }],
    [
      'combine A and B into The Sea with description "All, into one: sea."',
      {
        ...{ form: 'consolidate', of: of(['A', 'B']), name: 'The Sea' },
        description: 'All, into one: sea.',
      },
    ],
    [
      'consolidate A, B into C described as all of it',
      { form: 'consolidate', of: of('A', 'B'), name: 'C', description: 'all of it' },
    ],
    ['digest atlas', { form: 'digest', project: 'atlas' }],
    ['digest for atlas of 2026-06', { form: 'digest', project: 'atlas', month: '2026-06' }],
    [
      'write a digest of the atlas project for 2026-06.',
      { form: 'digest', project: 'the atlas project', month: '2026-06' },
    ],
  ])('%s', (sentence, form) => {
    expect(readForm(sentence)).toEqual(form)
  })

  test('there is an example of each form', () => {
    const shown = FORMS.map((sentence) => readForm(sentence)?.form)
    expect(new Set(shown)).toEqual(
      new Set([
        ...['archive', 'archive-all', 'merge', 'duplicates', 'find-duplicates', 'move'],
        ...['move-all', 'rekind', 'split', 'consolidate', 'digest'],
      ]),
    )
  })

  test('a reason is a line, however much is said', () => {
    const form = readForm(`archive tides because ${'it is over\n'.repeat(2_000)}`)
    expect(form).toMatchObject({
      form: 'archive',
      reason: expect.stringMatching(/^it is over it.*…$/),
    })
    expect((form as { reason: string }).reason.length).toBeLessThanOrEqual(300)
  })
})

describe('what has no form', () => {
  test.each([
    ...[
      '',
      '   ',
      '?!',
      ',',
      'and',
      '"',
      '[[]]',
      '\0\u0007',
      '\ud800',
      'because',
      'please',
      'not a gotcha',
    ],
    ...[
      'archive',
      'archive because',
      'archive ,',
      'archive the older',
      'archive and',
      'merge',
      'move',
      'move to',
    ],
    ...[
      'split',
      'split into a and b',
      'digest',
      'digest for 2026-06',
      'consolidate a and b',
      'consolidate into x',
    ],
    ...[
      'merge tides',
      'merge into tides',
      'move tides',
      'make tides',
      'reclassify tides',
      'mark tides as done',
    ],
    ...[
      'archive everything',
      'archive all memories',
      'archive anything older than dirt',
      'move everything to atlas',
    ],
    ...['archive anything older than -3 days', 'archive anything older than 3 constructors'],
    ...['archive anything about tides or gauges', 'archive everything about tides but not gauges'],
    ...[
      'archive all gotchas of kind decision',
      'archive everything tagged',
      'archive everything tagged a b',
    ],
    ...[
      'why did we archive tides?',
      'did we archive tides',
      'when tides is a gotcha',
      'is tides a gotcha?',
    ],
    ...[
      'tides is a gotcha?',
      'tides is not a gotcha',
      "don't archive tides",
      'do not make tides a gotcha',
    ],
    ...['never move tides to atlas', 'I think tides is a gotcha', 'if a and b are duplicates'],
    ...[
      'should we archive tides?',
      'the archive of tides',
      'we archive tides because they are over',
    ],
    ...[
      'tides is a server',
      'tides are high',
      'tides is a gotcha we know',
      'tides belongs',
      'these are duplicates',
    ],
    ...['a and b are duplicates in the console', '"tides is a gotcha"', "tides is a 'gotcha'"],
    ...[
      'find misfiled memories',
      'find contradictions',
      'find tides',
      'find duplicates somewhere',
      'tidy up',
    ],
    ...['clean up the tides', 'constructor tides', '__proto__', 'toString tides to atlas'],
  ])('%j', (sentence) => {
    expect(readForm(sentence)).toBeUndefined()
  })
})

describe('whatever is sent', () => {
  const LONG = 20_000
  const filled = (unit: string) => unit.repeat(Math.ceil(LONG / unit.length)).slice(0, LONG)

  test.each([
    ...[
      'a',
      'a ',
      'and ',
      ',',
      '"',
      "'a ",
      '" "',
      '“a ',
      '[[',
      '[[a',
      '[[a]]',
      ']]',
      '(',
      '.!?',
      '!a',
    ],
    ...[
      'please ',
      'archive ',
      'of kind ',
      'about ',
      'older than ',
      'tagged a, ',
      'into ',
      'not a gotcha ',
    ],
    ...[
      'is a gotcha ',
      'are duplicates ',
      ', keep ',
      'because ',
      'the newer of ',
      '𠮷',
      '́',
      '\n',
      'İ',
    ],
  ])('a long row of %j is read in the end', (unit) => {
    const frames = [
      '',
      'archive ',
      'archive anything about ',
      'move ',
      'merge ',
      'split x into ',
      'find duplicates about ',
    ]
    for (const frame of frames) {
      for (const end of ['', ' into x', ' is a gotcha', ' are duplicates', '"', ']]', ', please']) {
        readForm(`${frame}${filled(unit)}${end}`)
      }
    }
  })

  test('words of the grammar in any order never throw, and every form says something', () => {
    const word = fc.constantFrom(
      ...'archive merge fold move split find make reclassify consolidate digest duplicates anything all'.split(
        ' ',
      ),
      ...'about older than 3 days of kind gotcha tagged into to from is a are belongs in keep the newer'.split(
        ' ',
      ),
      ...'and or not because please as with description shared , . ? ( ) " \' [[ ]] tides gauges 2026-06'.split(
        ' ',
      ),
    )
    const sentence = fc.array(word, { maxLength: 14 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(sentence, (said) => {
        const form = readForm(said)
        if (!form) return
        const named = 'of' in form ? form.of.names : 'drop' in form ? form.drop.names : [['any']]
        expect(named.length).toBeGreaterThan(0)
        expect(named.flat().filter((name) => name.trim() === '')).toEqual([])
        expect(named.every((parts) => parts.length > 0)).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })

  test('any text is read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        readForm(text)
        readForm(`archive ${text}`)
        readForm(`${text} is a gotcha`)
      }),
    )
  })

  test('a name in quotes is taken as it stands, whatever it is', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter(
        (text) => !/["\p{C}\p{Z}]/u.test(text[0]! + text.at(-1)!) && !/["\p{Cc}\p{Z}]/u.test(text),
      )
    fc.assert(
      fc.property(name, (text) => {
        fc.pre(text.isWellFormed())
        expect(readForm(`archive "${text}", b`)).toEqual(archive(`"${text}"`, 'b'))
      }),
    )
  })
})
