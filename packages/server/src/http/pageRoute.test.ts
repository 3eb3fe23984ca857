import { expect, test } from 'vitest'
import type { PageAnswer, PageRequest } from './deps.ts'
import { shareConcurrent } from './pageRoute.ts'

const asked = (host: string, changes: Partial<PageRequest> = {}): PageRequest => ({
  params: { host },
  search: '',
  accepts: 'html',
  client: '192.0.2.1',
  ...changes,
})

/** Creates a handler whose answers are numbered, and wait until they are let go. */
function createHandler() {
  let calls = 0
  const waiting: { resolve: (answer: PageAnswer) => void; reject: (error: Error) => void }[] = []
  const handler = shareConcurrent(() => {
    calls += 1
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
    })
  })
  const ask = async (request: PageRequest) => (await handler(request)).body
  return {
    ask,
    calls: () => calls,
    letGo: () => waiting.shift()?.resolve({ type: 'text/plain', body: `${calls}` }),
    fail: () => waiting.shift()?.reject(new Error('once')),
  }
}

test('default: concurrent equal requests of different clients share one answer', async () => {
  const { ask, calls, letGo } = createHandler()
  const both = [ask(asked('a')), ask(asked('a', { client: '192.0.2.2' }))]
  letGo()
  expect(await Promise.all(both)).toEqual(['1', '1'])
  const later = ask(asked('a'))
  letGo()
  expect(await later).toBe('2')
  expect(calls()).toBe(2)
})

test('behavior: requests for other pages, queries or types share nothing', async () => {
  const { ask, calls } = createHandler()
  for (const request of [
    asked('a'),
    asked('b'),
    asked('a', { search: 'endpoint=x' }),
    asked('a', { accepts: 'json' }),
  ])
    void ask(request)
  expect(calls()).toBe(4)
})

test('error: a failure is not kept', async () => {
  const { ask, letGo, fail } = createHandler()
  const first = ask(asked('a'))
  fail()
  await expect(first).rejects.toThrow('once')
  const second = ask(asked('a'))
  letGo()
  expect(await second).toBe('2')
})
