import { expect, test } from 'vitest'
import { DAY } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { NOON } from '../store/testing/records.ts'
import { createWebhookAdder, readWebhookUrl, removeWebhook, removeWebhookAt } from './manageWebhooks.ts'
import { listWebhooks } from './webhook.ts'

function open() {
  let now = NOON
  const store = createMemoryStore()
  const ctx = { store, clock: { ...systemClock, now: () => now } }
  return {
    add: createWebhookAdder(ctx),
    list: () => listWebhooks(store, now),
    remove: (id: string) => removeWebhook(store, id),
    removeAt: (place: { host: string; url: string }) => removeWebhookAt(ctx, place),
    pass: (ms: number) => {
      now += ms
    },
  }
}

const host = 'api.example.com'

test('default: a webhook is kept for a year, or until it is removed', async () => {
  const { add, list, remove, removeAt, pass } = open()
  const first = await add({ host, url: 'https://hooks.example/a' })
  const second = await add({ host, url: 'https://hooks.example/b' })
  expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(await removeAt({ host: 'other.example', url: first.url })).toBeUndefined()
  expect(await remove('wh_none')).toBe(false)
  expect(await list()).toHaveLength(2)
  expect(await removeAt(first)).toBe(first.id)
  pass(365 * DAY - 1)
  expect(await list()).toEqual([second])
  pass(1)
  expect(await list()).toEqual([])
})

test('behavior: one of the same host and URL is replaced, with another secret', async () => {
  const { add, list } = open()
  const first = await add({ host, url: 'https://hooks.example/a' })
  const second = await add({ host, url: 'https://hooks.example/a' })
  expect(second.secret).not.toBe(first.secret)
  expect(await list()).toEqual([second])
})

test('error: refuses more than 5 webhooks of a host and 20 of a registrable domain, also at once', async () => {
  const { add, list } = open()
  const results = await Promise.allSettled(
    Array.from({ length: 6 }, (_, index) => add({ host, url: `https://hooks.example/${index}` })),
  )
  expect(results.map(({ status }) => status)).toEqual([...Array(5).fill('fulfilled'), 'rejected'])
  await expect(add({ host, url: 'https://hooks.example/6' })).rejects.toMatchObject({
    refusal: { status: 409, code: 'too_many_webhooks' },
  })
  // Its own place is free for a new secret.
  await add({ host, url: 'https://hooks.example/0' })
  for (const name of ['b', 'c', 'd']) {
    for (let index = 0; index < 5; index++)
      await add({ host: `${name}.example.com`, url: `https://h.example/${index}` })
  }
  await expect(add({ host: 'e.example.com:8443', url: 'https://h.example/' })).rejects.toThrow(
    'example.com has 20 webhooks already',
  )
  await add({ host: 'api.example.net', url: 'https://h.example/' })
  expect(await list()).toHaveLength(21)
})

test.each([
  ['', 'Enter the URL.'],
  [`https://a.example/${'x'.repeat(2048)}`, 'at most 2048 characters'],
  ['a.example', 'absolute https URL'],
  ['https://a.example/a b', 'without spaces'],
  ['https://ä.example/', 'printable ASCII'],
  ['http://a.example/', 'scheme https'],
  ['https://me:pw@a.example/', 'no user name'],
  ['https://a.example/#x', 'no fragment'],
  ['https://a.example:8443/', 'default port'],
  ['https://2130706433/', 'public address'],
  ['https://[::ffff:10.0.0.1]/', 'public address'],
  ['http://dev.test:4022/', 'scheme https'],
])('error: %#: a webhook goes to https on a public address', (url, message) => {
  const readUrl = (text: string) => readWebhookUrl(text, ['dev.test:4021'])
  expect(readUrl(url)).toEqual({ fault: expect.stringContaining(message) })
  expect(readUrl('http://dev.test:4021/a')).toEqual({ url: 'http://dev.test:4021/a' })
})
