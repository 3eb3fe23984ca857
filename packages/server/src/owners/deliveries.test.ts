import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, toTimestamp } from '../facts/times.ts'
import { readDocuments } from '../store/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { listOf } from '../store/testing/useStore.ts'
import { openNotices } from './testing/openNotices.ts'
import { openReceiver } from './testing/openReceiver.ts'

const SWEEP = 10 * MINUTE

async function open() {
  const receiver = await openReceiver()
  const notices = openNotices(receiver)
  /** Moves on until the feeds are read again. */
  const sweep = async () => {
    notices.pass(SWEEP)
    await notices.round()
  }
  return { receiver, sweep, ...notices }
}

test('default: a confirmed webhook gets the changes and incidents of its host, signed and in their order', async () => {
  const { receiver, add, change, incident, pass, round, sweep, outcomes } = await open()
  await change('before', NOON - 1)
  await add(receiver.url)
  await round()
  expect(receiver.types()).toEqual(['webhook.challenge'])
  await change('c1', NOON + 1)
  pass(MINUTE)
  await incident('i1')
  await sweep()
  await incident('i1', {
    detectedAt: toTimestamp(NOON + MINUTE),
    status: 'resolved',
    resolvedAt: toTimestamp(NOON + HOUR),
  })
  await sweep()
  await sweep()
  expect(receiver.received.slice(1).map(({ body }) => body)).toMatchObject([
    { type: 'change', timestamp: toTimestamp(NOON + 1), data: { id: 'c1', host: 'api.example' } },
    { type: 'incident.opened', timestamp: toTimestamp(NOON + MINUTE), data: { id: 'i1', status: 'open' } },
    {
      type: 'incident.resolved',
      timestamp: toTimestamp(NOON + HOUR),
      data: { id: 'i1', status: 'resolved' },
    },
  ])
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4)
  expect(receiver.faults).toEqual([])
  expect(outcomes).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
})

test('behavior: nothing is delivered before the URL repeats the challenge, and the webhook ends if it never does', async () => {
  const { receiver, add, change, pass, round, list, lines } = await open()
  receiver.answerWith(() => ({ status: 200, text: 'thanks' }))
  const { id } = await add(receiver.url)
  await change('c1')
  await round()
  for (const pause of [MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 18 * HOUR]) {
    expect(await list()).toHaveLength(1)
    pass(pause - 1)
    await round()
    const sent = receiver.received.length
    pass(1)
    await round()
    expect(receiver.received).toHaveLength(sent + 1)
  }
  expect(new Set(receiver.types())).toEqual(new Set(['webhook.challenge']))
  expect(receiver.received).toHaveLength(6)
  expect(await list()).toEqual([])
  expect(lines).toEqual([
    `webhook ${id} of api.example is removed: its URL failed the challenge, the answer does not hold the challenge`,
  ])
})

test('behavior: a failed delivery holds back the next, is tried six times in a day and then dropped', async () => {
  const { receiver, add, change, pass, round, sweep, lines, outcomes, oldestPendingMs } = await open()
  await add(receiver.url)
  await round()
  receiver.answerWith(({ data }) => ({ status: (data as { id: string }).id === 'c1' ? 500 : 204 }))
  await change('c1', NOON + 1)
  await change('c2', NOON + 2)
  await sweep()
  expect(oldestPendingMs()).toBe(0)
  const tried = () => receiver.received.slice(1).map(({ body }) => (body.data as { id: string }).id)
  for (const pause of [MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 18 * HOUR]) {
    pass(pause - 1)
    await round()
    pass(1)
    await round()
  }
  expect(tried()).toEqual(['c1', 'c1', 'c1', 'c1', 'c1', 'c1'])
  expect(new Set(receiver.received.slice(1).map(({ id }) => id)).size).toBe(1)
  expect(oldestPendingMs()).toBe(MINUTE + 10 * MINUTE + 24 * HOUR)
  await round()
  expect(tried().slice(6)).toEqual(['c2'])
  expect(outcomes.slice(-2)).toEqual(['dropped', 'delivered'])
  expect(lines.join()).toMatch(/event msg_\w+ is dropped, the last attempt ended with HTTP 500$/)
  expect(lines.join()).not.toContain('hidden')
  expect(oldestPendingMs()).toBe(0)
})

test('behavior: a restart loses no event, and repeats one under the same id at most', async () => {
  const { receiver, add, change, incident, pass, round, sweep, restart } = await open()
  await add(receiver.url)
  await round()
  receiver.answerWith(() => ({ status: 503 }))
  await change('c1')
  await incident('i1')
  await sweep()
  restart()
  await change('c2')
  receiver.answerWith(() => ({ status: 200 }))
  pass(MINUTE)
  await round()
  restart()
  await sweep()
  const ids = receiver.received
    .slice(1)
    .map(({ id, body }) => [(body.data as { id: string }).id, id] as const)
  expect(ids.map(([record]) => record).sort()).toEqual(['c1', 'c1', 'c2', 'i1'])
  expect(new Set(ids.map(([, id]) => id)).size).toBe(3)
})

test('behavior: an incident that opens again is delivered again', async () => {
  const { receiver, add, incident, round, sweep } = await open()
  const at = { detectedAt: toTimestamp(NOON + 1) }
  await incident('old', { detectedAt: toTimestamp(NOON - DAY) })
  await add(receiver.url)
  await round()
  await incident('i1', at)
  await sweep()
  await incident('i1', { ...at, status: 'resolved', resolvedAt: toTimestamp(NOON + HOUR) })
  await sweep()
  await incident('i1', at)
  await sweep()
  // The webhook was created while it was open.
  await incident('old', {
    detectedAt: toTimestamp(NOON - DAY),
    status: 'resolved',
    resolvedAt: toTimestamp(NOON + HOUR - 1),
  })
  // Both turns between two readings.
  await incident('i2', { ...at, status: 'resolved', resolvedAt: toTimestamp(NOON + HOUR) })
  await sweep()
  expect(
    receiver.received.slice(1).map(({ body: { type, data } }) => `${type} ${(data as { id: string }).id}`),
  ).toEqual([
    'incident.opened i1',
    'incident.resolved i1',
    'incident.opened i1',
    'incident.opened i2',
    'incident.resolved old',
    'incident.resolved i2',
  ])
})

test('behavior: many events arrive in turns, each once', async () => {
  const { receiver, add, change, round, sweep } = await open()
  await add(receiver.url)
  await round()
  for (let index = 0; index < 250; index++) await change(`c${index}`, NOON + 1 + Math.floor(index / 2))
  await sweep()
  expect(receiver.received).toHaveLength(21)
  for (let count = 0; count < 15; count++) await round()
  const records = receiver.received.slice(1).map(({ body }) => (body.data as { id: string }).id)
  expect(records).toHaveLength(250)
  expect(new Set(records).size).toBe(250)
})

test('behavior: a redirect is not followed, 410 ends the webhook, and one that was removed gets nothing more', async () => {
  const { receiver, add, change, pass, round, sweep, list, remove, outcomes } = await open()
  const { id } = await add(receiver.url)
  await round()
  receiver.answerWith(() => ({ status: 307, headers: { location: `https://other.test:${receiver.port}/` } }))
  await change('c1')
  await sweep()
  expect(outcomes.at(-1)).toBe('failed')
  expect(receiver.received).toHaveLength(2)
  receiver.answerWith(() => ({ status: 410 }))
  pass(MINUTE)
  await round()
  expect(await list()).toEqual([])
  expect(await remove(id)).toBe(false)

  const other = await add(receiver.url)
  receiver.answerWith(({ challenge }) => ({ status: 200, text: `${challenge}` }))
  await round()
  expect(await remove(other.id)).toBe(true)
  const sent = receiver.received.length
  await change('c2')
  await sweep()
  expect(receiver.received).toHaveLength(sent)
})

test('error: an address that is not public, a wrong certificate and a silent receiver are failed attempts', async () => {
  const { receiver, add, round, outcomes, store } = await open()
  await add('https://hooks.test:1/')
  await add(`https://elsewhere.test:${receiver.port}/`)
  await round()
  expect(outcomes).toEqual(['failed', 'failed'])
  const states = await listOf(readDocuments(store, 'webhook-state', '', NOON))
  expect(states.map(({ data }) => data)).toMatchObject([{ failures: 1 }, { failures: 1 }])
  expect(receiver.received).toEqual([])

  const deaf = openNotices(
    {
      ...receiver,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        }),
    },
    50,
  )
  await deaf.add(receiver.url)
  await deaf.round()
  expect(deaf.outcomes).toEqual(['failed'])
})

test('behavior: an answer is read up to 4 KiB, which is enough for a delivery', async () => {
  const { receiver, add, change, pass, round, sweep, outcomes } = await open()
  const filler = ' '.repeat(4096)
  receiver.answerWith(({ challenge }) => ({ status: 200, text: `${challenge}${filler}` }))
  await add(receiver.url)
  await round()
  expect(outcomes).toEqual(['failed'])
  receiver.answerWith(({ challenge }) => ({ status: 200, text: `${challenge}` }))
  pass(MINUTE)
  await round()
  receiver.answerWith(() => ({ status: 200, text: filler + filler }))
  await change('c1')
  await sweep()
  expect(outcomes).toEqual(['failed', 'delivered', 'delivered'])
})

test('behavior: a run delivers what the store has just written, and ends with its signal', async () => {
  const { receiver, add, run, change, outcomes, lines } = await open()
  await add(receiver.url)
  await change('c1')
  const ending = new AbortController()
  const running = run(ending.signal)
  await expect.poll(() => receiver.types()).toEqual(['webhook.challenge', 'change'])
  await expect.poll(() => outcomes.length).toBe(2)
  ending.abort()
  await running
  expect([outcomes.length, lines]).toEqual([2, []])
})

test('behavior: a receiver that does not answer holds up no other, and is no failure when the process stops', async () => {
  const receiver = await openReceiver()
  const hang: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const { add, run, change, outcomes, lines } = openNotices(
    {
      ...receiver,
      fetch: (input, init) => (`${input}`.includes('/slow') ? hang : receiver.fetch)(input, init),
    },
    60_000,
  )
  await add('https://hooks.test/slow', 'a.example')
  await add(receiver.url)
  await change('c1')
  const ending = new AbortController()
  const running = run(ending.signal)
  await expect.poll(() => receiver.types()).toEqual(['webhook.challenge', 'change'])
  await expect.poll(() => outcomes).toHaveLength(2)
  ending.abort()
  await running
  expect([outcomes, lines]).toEqual([['delivered', 'delivered'], []])
})
