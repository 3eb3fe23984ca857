import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { MINUTE } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import { createReadModel } from './createReadModel.ts'

const [SAMPLE] = documentOf('a.example', NOON).endpoints
const stateOf = (endpoint: string, changes: Partial<EndpointState> = {}): EndpointState => {
  if (SAMPLE === undefined) throw new Error('a document has an endpoint')
  return { ...SAMPLE, endpoint, host: new URL(endpoint).host, ...changes }
}

/** Opens a read model over a store that counts reads and can hold them back. */
async function setUp(options: Parameters<typeof createReadModel>[1] = {}) {
  const plain = createMemoryStore({ now: () => NOON })
  const reads = { count: 0, until: Promise.resolve() }
  const tells: ((changed: null) => void)[] = []
  const store = {
    ...plain,
    async endpoint(endpoint: string) {
      reads.count++
      const known = await plain.endpoint(endpoint)
      await reads.until
      return known
    },
    async summary(host: string) {
      reads.count++
      const summary = await plain.summary(host)
      await reads.until
      return summary
    },
    async watch(onChange: Parameters<typeof plain.watch>[0]) {
      tells.push(onChange)
      return plain.watch(onChange)
    },
  }
  const model = await createReadModel(store, options)
  const put = (endpoint: string, changes?: Partial<EndpointState>) =>
    plain.putEndpoint(stateOf(endpoint, changes))
  return { store: plain, model, reads, put, tellUnseen: () => tells[0]?.(null) }
}

test('default: reads an endpoint once and answers from memory until it changes', async () => {
  const { model, put, reads } = await setUp()
  await put('https://a.example/a', { score: 50 })
  const before = model.revision()
  const found = await model.find('https://a.example/a')
  expect(found).toMatchObject({ match: 'exact', state: { score: 50 } })
  expect([model.find('https://a.example/a'), reads.count]).toEqual([found, 1])
  expect(model.isCurrent('https://a.example/a', found, before)).toBe(true)
  await put('https://a.example/a', { score: 60 })
  expect([model.isCurrent('https://a.example/a', found, before), model.revision() - before]).toEqual([
    false,
    1,
  ])
  expect(await model.find('https://a.example/a')).toMatchObject({ state: { score: 60 } })
  expect(model.cacheStats()).toMatchObject({ hits: 1, misses: 2 })
})

test('behavior: finds the listed template of a host, and caches keys that match nothing', async () => {
  const { model, put, reads } = await setUp()
  await put('https://a.example/v1/%7Bcity%7D')
  await put('https://a.example/other')
  const matched = await model.find('https://a.example/v1/oslo')
  expect(matched).toMatchObject({ match: 'template', state: { endpoint: 'https://a.example/v1/%7Bcity%7D' } })
  expect(await model.find('https://a.example/none')).toBeNull()
  expect(await model.find('https://nobody.example/')).toBeNull()
  const readBefore = reads.count
  expect([model.find('https://a.example/v1/oslo'), model.find('https://a.example/none')]).toEqual([
    matched,
    null,
  ])
  expect(reads.count).toBe(readBefore)
})

test('behavior: a change drops its endpoint and the host’s unknown keys and templates, and nothing else', async () => {
  const { model, put } = await setUp()
  const keys = [
    'a.example/a',
    'a.example/b',
    'a.example/v1/oslo',
    'a.example/none',
    'b.example/a',
    'b.example/none',
  ]
  for (const path of ['a.example/a', 'a.example/b', 'a.example/v1/%7Bcity%7D', 'b.example/a'])
    await put(`https://${path}`)
  const found = new Map<string, Awaited<ReturnType<typeof model.find>>>()
  for (const key of keys) found.set(key, await model.find(`https://${key}`))
  const before = model.revision()
  await put('https://a.example/a', { score: 1 })
  const kept = keys.filter((key) => model.isCurrent(`https://${key}`, found.get(key) ?? null, before))
  expect(kept).toEqual(['a.example/b', 'b.example/a', 'b.example/none'])
})

test('behavior: drops everything when changes may have gone unseen', async () => {
  const { model, put, tellUnseen } = await setUp()
  await put('https://a.example/a')
  const found = await model.find('https://a.example/a')
  const before = model.revision()
  tellUnseen()
  expect([model.isCurrent('https://a.example/a', found, before), model.cacheStats().bytes]).toEqual([
    false,
    0,
  ])
})

test('behavior: a read that a change overtakes is not kept, and later callers do not share it', async () => {
  for (const end of ['change', 'unseen'] as const) {
    const { model, put, reads, tellUnseen } = await setUp()
    await put('https://a.example/a', { score: 1 })
    let release = () => {}
    reads.until = new Promise((resolve) => {
      release = resolve
    })
    const early = model.find('https://a.example/a')
    const unknown = model.find('https://a.example/none')
    expect(model.find('https://a.example/a')).toBe(early)
    await put('https://a.example/a', { score: 2 })
    await put('https://a.example/none', { score: 3 })
    if (end === 'unseen') tellUnseen()
    const late = model.find('https://a.example/a')
    release()
    expect([(await early)?.state.score, await unknown, (await late)?.state.score]).toEqual([1, null, 2])
    expect(await model.find('https://a.example/a')).toMatchObject({ state: { score: 2 } })
    expect(await model.find('https://a.example/none')).toMatchObject({ state: { score: 3 } })
  }
})

test('behavior: answers as the store does after any changes and reads', async () => {
  const key = fc.constantFrom('/a', '/b', '/v1/x', '/v1/y', '/%7Bany%7D', '/v1/%7Bany%7D')
  const step = fc.record({ path: key, isPut: fc.boolean(), score: fc.nat(99), waits: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { store, model, put } = await setUp({ cacheBytes: 60_000 })
      const begun: unknown[] = []
      for (const { path, isPut, score, waits } of steps) {
        const endpoint = `https://a.example${path}`
        const work = isPut ? put(endpoint, { score }) : model.find(endpoint)
        begun.push(work)
        if (waits) await work
      }
      await Promise.all(begun)
      const fresh = await createReadModel(store)
      for (const path of ['/a', '/b', '/v1/x', '/v1/y', '/c', '/v1/%7Bany%7D']) {
        const endpoint = `https://a.example${path}`
        expect(await model.find(endpoint)).toEqual(await fresh.find(endpoint))
      }
    }),
  )
})

test('behavior: memory is bounded, endpoints in use stay, and an evicted one stays current', async () => {
  const cacheBytes = 400_000
  const { model, put, reads } = await setUp({ cacheBytes })
  await put('https://a.example/hot')
  const hot = await model.find('https://a.example/hot')
  await put('https://b.example/a')
  const evicted = await model.find('https://b.example/a')
  for (let number = 0; number < 3000; number++) {
    await model.find(`https://nobody-${number}.example/${'x'.repeat(number % 300)}`)
    if (number % 10 === 0) expect(model.find('https://a.example/hot')).toBe(hot)
    expect(model.cacheStats().bytes).toBeLessThanOrEqual(cacheBytes)
  }
  expect(model.isCurrent('https://b.example/a', evicted, model.revision())).toBe(true)
  const before = reads.count
  expect([await model.find('https://a.example/hot'), reads.count]).toEqual([hot, before])
})

test('behavior: a failed read is tried again', async () => {
  const { model, put, reads } = await setUp()
  await put('https://a.example/a')
  reads.until = Promise.reject(new Error('no store'))
  await expect(model.find('https://a.example/a')).rejects.toThrow('no store')
  reads.until = Promise.resolve()
  expect(await model.find('https://a.example/a')).toMatchObject({ match: 'exact' })
})

test('behavior: a category with more than a fifth of all endpoints is compared with everything listed', async () => {
  const { model, put } = await setUp({ now: () => NOON })
  const priced = async (category: string | null, count: number, priceUsd: number) => {
    for (let index = 0; index < count; index++)
      await put(`https://${category}-${index}.example/a`, { category, priceUsd })
  }
  await priced('uncategorized', 10, 0.01)
  await priced('images', 4, 0.5)
  await priced('data', 6, 0.02)
  const { categoryPrice } = model
  const whole = { medianUsd: 0.015, count: 20, isWhole: true }
  expect(await categoryPrice('images')).toEqual({ medianUsd: 0.5, count: 4 })
  expect(await Promise.all(['data', 'uncategorized', 'nobody', null].map(categoryPrice))).toEqual(
    Array(4).fill(whole),
  )
  const { model: empty } = await setUp()
  expect(await empty.categoryPrice(null)).toBeUndefined()
})

test('behavior: the price of a category is read again after ten minutes', async () => {
  let now = NOON
  const { model, put } = await setUp({ now: () => now })
  const price = async () => (await model.categoryPrice(null))?.medianUsd
  await put('https://a.example/a', { priceUsd: 1 })
  expect(await price()).toBe(1)
  await put('https://a.example/a', { priceUsd: 2 })
  now += 10 * MINUTE - 1
  expect(await price()).toBe(1)
  now += 1
  expect(await price()).toBe(2)
})

test('behavior: any text of a seller may name a category', async () => {
  const { model, put } = await setUp({ now: () => NOON })
  const names = ['a/price/7', '__proto__', 'a%2Fb', 'lone \ud800', 'x\u0000y', 'Wetter ☀']
  for (const [index, category] of names.entries())
    await put(`https://${index}.example/a`, { category, priceUsd: index + 1 })
  for (const [index, category] of names.entries())
    expect(await model.categoryPrice(category)).toEqual({ medianUsd: index + 1, count: 1 })
})
