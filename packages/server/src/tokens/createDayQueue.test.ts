import type { Chain, DayAnswers, DayRead } from '@touchstone402/transfers'
import { ChainError } from '@touchstone402/transfers/errors'
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/logging.ts'
import { SAMPLE_TOKEN_DAY } from '../site/testing/sampleTokenDay.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { createDayQueue, SOLD_REQUESTS } from './createDayQueue.ts'
import { createSoldTokens, MAX_SOLD_TOKENS } from './soldTokens.ts'
import { createTokenDays } from './tokenDays.ts'

const NOON = Date.parse('2026-01-31T12:00:00Z')
const token = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const [A, B, C] = [token(1), token(2), token(3)]
const { date: _, readAt: __, ...ANSWERS } = SAMPLE_TOKEN_DAY
const { window } = ANSWERS.pulse
/** Answers about a day that is final. */
const FINAL = {
  ...ANSWERS,
  pulse: { ...ANSWERS.pulse, window: { ...window, finality: 'finalized' as const } },
}
const INCOMPLETE = { ...FINAL, pulse: { ...FINAL.pulse, window: { ...window, complete: false } } }

type Asked = Parameters<Chain['day']>[0]
type Code = NonNullable<DayRead['failure']>['code']

/** A read that fails, with requests left. */
const failed = (code: Code, requestsLeft = 0, message = ''): DayRead => ({
  answers: null,
  failure: { code, message },
  requestsLeft,
})

/** A queue over tokens of the configuration, whose reads are scripted. */
function open(
  pages: readonly string[],
  read: (asked: Asked) => Promise<DayAnswers | DayRead> = async () => FINAL,
) {
  const clock = { ...systemClock, now: () => state.now }
  const ctx = {
    clock,
    config: { tokenPages: pages },
    log: ((_, __, { subject }) => errors.push(`${subject}`)) as Log,
    store: createMemoryStore(),
  }
  const asked: Asked[] = []
  const errors: string[] = []
  const state = { now: NOON, asked, errors }
  const days = createTokenDays(ctx)
  const queue = createDayQueue(ctx, {
    days,
    async readDay(query) {
      asked.push(query)
      const answers = await read(query)
      return 'failure' in answers ? answers : { answers, failure: null, requestsLeft: 1400 }
    },
    now: clock.now,
  })
  const { signal } = new AbortController()
  return {
    state,
    days,
    sold: createSoldTokens(ctx),
    round: () => queue.round(signal),
    queue,
  }
}

test('default: reads the last finished day of each token once, the configured ones first', async () => {
  const { state, days, sold, round } = open([A, B])
  await sold.note(C)
  expect(await round()).toEqual([A, B, C])
  expect(state.asked.map(({ date }) => date)).toEqual(['2026-01-30', '2026-01-30', '2026-01-30'])
  expect(await days.day(A)).toEqual({ ...FINAL, date: '2026-01-30', readAt: '2026-01-31T12:00:00.000Z' })
  expect(await days.line(A)).toMatchObject({ symbol: 'USDC', date: '2026-01-30', isComplete: true })
  expect(await round()).toEqual([])
  // Half an hour after midnight the next day is final.
  state.now = Date.parse('2026-02-01T00:29:59Z')
  expect(await round()).toEqual([])
  state.now = Date.parse('2026-02-01T00:30:00Z')
  expect(await round()).toEqual([A, B, C])
  expect(state.asked.at(-1)?.date).toBe('2026-01-31')
})

test('behavior: reads one token at a time, within limits of time and requests', async () => {
  let running = 0
  const { state, round } = open([A, B, C], async () => {
    expect(++running).toBe(1)
    await new Promise(setImmediate)
    running--
    return FINAL
  })
  await round()
  for (const { deadlineAt, requests, signal } of state.asked) {
    expect(deadlineAt).toBe(NOON + 3 * MINUTE)
    expect(requests).toBe(1500)
    expect(signal).toBeInstanceOf(AbortSignal)
  }
})

test('behavior: an incomplete day is kept as such and read again, with growing pauses, and others go first', async () => {
  const pages = [A]
  const { state, days, round } = open(pages, async ({ token }) => (token === A ? INCOMPLETE : FINAL))
  expect(await round()).toEqual([A])
  expect(await days.line(A)).toMatchObject({ date: '2026-01-30', isComplete: false, attempt: { count: 1 } })
  state.now += 4 * MINUTE
  expect(await round()).toEqual([])
  state.now += MINUTE
  pages.push(B)
  expect(await round()).toEqual([B, A])
  state.now += 5 * MINUTE
  expect(await round()).toEqual([])
  for (let hours = 0; hours < 24; hours++) {
    // The day stays the same.
    state.now = Math.min(state.now + HOUR, NOON + 12 * HOUR)
    await round()
  }
  expect((await days.line(A))?.attempt.count).toBeLessThanOrEqual(12)
  expect(state.asked.filter(({ token }) => token === B)).toHaveLength(1)
})

test('behavior: tokens of the configuration come before those that were paid for, however often they were read', async () => {
  const { state, sold, round } = open([A], async ({ token }) => (token === A ? INCOMPLETE : FINAL))
  await round()
  state.now += 5 * MINUTE
  await sold.note(B)
  expect(await round()).toEqual([A, B])
})

test('behavior: a token that was paid for gets 3 attempts a day', async () => {
  const { state, sold, round } = open([], async () => INCOMPLETE)
  await sold.note(A)
  for (let hours = 0; hours < 12; hours++) {
    await round()
    state.now += HOUR
  }
  expect(state.asked).toHaveLength(3)
  state.now = NOON + DAY
  expect(await round()).toEqual([A])
})

test('behavior: all tokens that were paid for share the requests of a day, and leave those of the configuration alone', async () => {
  const { state, sold, round } = open([A], async ({ token: asked }) => {
    // A read that is lost counts as one that used all.
    if (asked === token(1000)) throw new ChainError('unreachable', 'The thread ended')
    return failed('deadline')
  })
  const readOnce = SOLD_REQUESTS / 1500
  for (let n = 0; n < readOnce + 5; n++) await sold.note(token(1000 + n))
  expect(await round()).toHaveLength(1 + readOnce)
  state.now += 5 * MINUTE
  expect(await round()).toEqual([A])
  state.now += DAY
  expect(await round()).toHaveLength(1 + readOnce)
})

test('behavior: requests that a read leaves are for others, whether it fails or not', async () => {
  const { state, sold, round } = open([], async ({ token: asked }) =>
    BigInt(asked) % 2n === 0n ? INCOMPLETE : failed('unreachable', 1400),
  )
  for (let n = 0; n < 40; n++) await sold.note(token(1000 + n))
  for (let minutes = 0; minutes < 3; minutes++) {
    await round()
    state.now += 20 * MINUTE
  }
  // 100 requests each.
  expect(state.asked).toHaveLength(120)
})

test('behavior: a day that exceeds the limit of rows is read once', async () => {
  const truncated = {
    ...FINAL,
    pulse: { ...FINAL.pulse, window: { ...window, complete: false, truncated: true } },
  }
  const { state, round } = open([A], async () => truncated)
  await round()
  state.now += HOUR
  expect(await round()).toEqual([])
})

test('error: a day that fails leaves the one before, and says why', async () => {
  let failure: DayRead | null = null
  const { state, days, round } = open([A], async () => failure ?? FINAL)
  await round()
  state.now += DAY
  failure = failed('unreachable', 0, 'RPC https://secret.example failed')
  expect(await round()).toEqual([A])
  expect((await days.day(A))?.date).toBe('2026-01-30')
  const line = await days.line(A)
  expect(line).toMatchObject({
    date: '2026-01-30',
    attempt: { date: '2026-01-31', failure: 'unreachable', isSettled: false },
  })
  expect(JSON.stringify(line)).not.toContain('secret')
  failure = null
  state.now += 5 * MINUTE
  expect(await round()).toEqual([A])
  expect((await days.day(A))?.date).toBe('2026-01-31')
  expect(state.errors).toEqual([])
})

test('error: once the day before has expired, an attempt that fails leaves no word of it', async () => {
  let failure: DayRead | null = null
  const { state, days, round } = open([A], async () => failure ?? FINAL)
  await round()
  failure = failed('unreachable', 0, 'down')
  for (let count = 0; count < 8; count++) {
    state.now += DAY
    await round()
  }
  expect(await days.day(A)).toBeUndefined()
  expect(await days.line(A)).toMatchObject({
    symbol: 'USDC',
    date: null,
    summary: null,
    isComplete: false,
    attempt: { failure: 'unreachable' },
  })
})

test('error: what is no token is asked about once a day, and a fault of ours is reported', async () => {
  const { state, round } = open([A, B], async ({ token }) => {
    return failed(token === A ? 'not_erc20' : 'internal')
  })
  expect(await round()).toEqual([A, B])
  expect(state.errors).toEqual([B])
  state.now += 5 * MINUTE
  expect(await round()).toEqual([B])
})

test('error: a read that a stop cuts is no attempt', async () => {
  const stop = new AbortController()
  const { days, queue } = open([A, B], async () => {
    stop.abort()
    return failed('deadline')
  })
  expect(await queue.round(stop.signal)).toEqual([A])
  expect(await days.line(A)).toBeUndefined()
})

test('behavior: a line of an older version, which has no warnings, can be read', async () => {
  const clock = { ...systemClock, now: () => NOON }
  const store = createMemoryStore()
  const data = { name: null, symbol: 'USDC', date: null, summary: null, isComplete: false, attempt: null }
  await store.write('putDocument', { kind: 'token-line', id: A, expiresAt: NOON + DAY, data }, NOON)
  const days = createTokenDays({ clock, config: { tokenPages: [] }, store })
  expect(await days.line(A)).toMatchObject({ symbol: 'USDC', warnings: [] })
})

test('behavior: at most 100 sold tokens are kept, for 7 days, the newest ones', async () => {
  const { state, sold, days } = open([A])
  for (let n = 0; n < MAX_SOLD_TOKENS + 5; n++) {
    state.now += 1
    await sold.note(
      token(1000 + n)
        .toUpperCase()
        .replace('0X', '0x'),
    )
  }
  const kept = await sold.list()
  expect(kept).toHaveLength(MAX_SOLD_TOKENS)
  expect([kept[0], kept.at(-1)]).toEqual([token(1104), token(1005)])
  expect((await days.covered()).slice(0, 2)).toEqual([A, token(1104)])
  state.now += 6 * DAY
  await sold.note(token(1005))
  state.now += DAY
  expect(await sold.list()).toEqual([token(1005)])
})
