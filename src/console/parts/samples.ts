/** What the page of parts shows: made-up rows, long ones and empty ones among them. */
import { barsOf } from '../figures.ts'

export const STATES = [
  ...['live', 'idle', 'completed', 'expired'],
  ...['open', 'ready', 'in_progress', 'blocked', 'lapsed', 'done', 'dropped'],
  ...['draft', 'presented', 'approved', 'shipped', 'abandoned'],
  ...['active', 'superseded', 'archived', 'unreadable'],
  ...['pass', 'fail', 'partial', 'pending', 'applied', 'dismissed'],
]

export const GLYPHS = [
  { tone: 'live', word: 'at work' },
  { tone: 'quiet', word: 'silent' },
  { tone: 'attention', word: 'asks for something' },
  { tone: 'danger', word: 'failed' },
  { tone: 'injected', word: 'context shown' },
  { tone: 'briefed', word: 'briefed' },
  { tone: 'written', word: 'written' },
  { tone: 'called', word: 'called' },
  { tone: 'moved', word: 'changed hands' },
  { tone: 'done', word: 'done' },
  { tone: 'star', word: 'starred' },
  { tone: 'moment', word: 'happens once' },
]

const HOUR = [3, 5, 2, 2, 9, 8, 3, 1, 2, 9, 10, 4]
const SECOND_MS = 1000

const before = (now: Date, seconds: number) => new Date(now.getTime() - seconds * SECOND_MS)

export const tableRows = (now: Date) =>
  [
    ['why does the importer lose rows', 'atlas', 'cc opus-5', 'Webhook drops rows under load #12'],
    ['cold-start-6', 'mobile-app', 'haiku-5', 'recall “Feature flag design”'],
    ['retry-1', 'auth-service', 'opus-5', 'wrote constraint csv-ends-with-a-newline'],
    [
      'a session whose task has a title that somebody pasted whole out of an incident report',
      'payments-gateway-of-the-second-generation',
      'cx gpt-6',
      'Backfill without downtime, in batches of ten thousand, behind the flag that the last one forgot',
    ],
    ['検索インデックスの再構築', 'データ倉庫', 'opus-5', '読み取り専用レプリカを確認する'],
    ['timeout-5', 'global', '', ''],
  ].map(([name, project, agent, doing], at) => ({
    id: `sample-${at}`,
    name,
    project,
    agent,
    doing,
    live: at < 5,
    current: at === 1,
    lease: ['12:04', '', '4:10', '', '0:52', ''][at],
    short: at === 2 || at === 4,
    heard: before(now, [8, 41, 66, 200, 370, 1320][at]!),
    bars: barsOf(at === 5 ? HOUR.map(() => 0) : HOUR.map((n) => (n * (at + 3)) % 11)),
  }))

export const traceRows = (now: Date) =>
  [
    [0, 'called', 'claimed', 'tasks_claim', 'Webhook drops rows under load #12', '7 ms', null],
    [152, 'written', 'written', 'notes_create', 'cold-start-6 found 13', '21 ms', null],
    [1690, 'injected', 'context shown', 'recall', '“Feature flag design”', '12 ms', 10],
    [1950, 'danger', 'failed', 'memory_read', 'nope-4: no memory of this name', '3 ms', null],
    [6072, 'briefed', 'briefed', 'briefed', 'at session start: 9 items, 1,412 tokens', null, 9],
  ].map(([seconds, tone, word, what, text, took, items], at) => ({
    id: `call-${at}`,
    at: before(now, Number(seconds)),
    href: '/console/parts',
    failed: tone === 'danger',
    ...{ tone, word, what, text, took, items },
  }))

export const FIGURES = [
  {
    ...{ id: 'reach', label: 'Memory reach', value: 62, unit: '%', href: '/console/parts' },
    definition: 'Distinct active memories that were shown to an agent, of all active memories.',
    ...{ of: '104 of 168 memories', window: 'last 24 hours', bars: barsOf(HOUR) },
    delta: { text: '▲ 4 pt', good: true },
    band: { text: 'aim ≥ 55 %', met: true },
  },
  {
    ...{ id: 'waste', label: 'Waste share', value: 41, unit: '%', href: '/console/parts' },
    definition: 'Memories shown and never read in 30 days, of all that were shown.',
    ...{ of: '70 of 168 memories', window: 'last 30 days', delta: { text: '▲ 3 pt', good: false } },
    band: { text: 'aim ≤ 35 %', met: false },
  },
  {
    ...{ id: 'injections', label: 'Injections', value: '1,212', unit: 'items' },
    definition: 'Items that were put into the context of an agent, each as often as it was.',
    ...{ window: 'last 24 hours', delta: { text: '+41', good: null } },
  },
  {
    ...{ id: 'demand', label: 'Demand rate', value: null, unit: '%' },
    definition: 'Sessions that asked for something by themselves, of all sessions that ended.',
    of: 'no session ended',
    window: 'last 24 hours',
  },
]

export const SPANS = [
  { x: 0, width: 8, tone: 'injected' },
  { x: 20, width: 60, tone: 'called' },
  { x: 96, width: 30, tone: 'briefed' },
  { x: 150, width: 90, tone: 'written' },
  { x: 280, width: 14, tone: 'danger' },
  { x: 320, width: 110, tone: 'called' },
  { x: 470, width: 12, tone: 'attention' },
  { x: 700, width: 180, tone: 'written' },
]

export const DIFF = [
  { kind: 'left', text: '12 lines' },
  { kind: 'same', text: 'A file of rows ends with a newline.' },
  { kind: 'old', text: 'The importer drops the last row otherwise.' },
  {
    kind: 'new',
    text: 'The importer dropped the last row otherwise until 4.2; it refuses such a file now.',
  },
  { kind: 'same', text: '' },
]

export const TABS = [
  { label: 'Overview', count: null, href: '/console/parts', current: true },
  { label: 'Sessions', count: 254, href: '/console/parts', current: false },
]
