import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EndpointState } from '../facts/hostDocument.ts'
import { DAY, MINUTE } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { documentOf, NOON } from '../store/testing/records.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { createReadModel } from './createReadModel.ts'

const [SAMPLE] = documentOf('a.example', NOON).endpoints
const stateOf = (endpoint: string, changes: Partial<EndpointState> = {}): EndpointState => {
  if (SAMPLE === undefined) throw new Error('a document has an endpoint')
  return { ...SAMPLE, endpoint, host: new URL(endpoint).host, firstSeen: NOON - 31 * DAY, ...changes }
}

/** Opens a read model over a store that notes which summaries are read, and can hold reads back. */
async function setUp(options: Parameters<typeof createReadModel>[1] = {}) {
  const plain = createMemoryStore()
  const reads = { summaries: [] as string[], endpoint: Promise.resolve(), summary: Promise.resolve() }
  const tells: ((changed: null) => void)[] = []
  const store = {
    ...withReads(plain, 'endpoint', async (rows, { sql, parameters }) => {
      const isSummary = sql.includes('"row_json" as "json"')
      if (isSummary) reads.summaries.push(`${parameters[0]}`)
      await (isSummary ? reads.summary : reads.endpoint)
      return rows
    }),
    async watch(onChange: Parameters<typeof plain.watch>[0]) {
      tells.push(onChange)
      return plain.watch(onChange)
    },
  }
  const model = await createReadModel(store, options)
  const put = (endpoint: string, changes?: Partial<EndpointState>) =>
    plain.write('putEndpoint', stateOf(endpoint, changes))
  return { store: plain, model, reads, put, tellUnseen: () => tells[0]?.(null) }
}

test('default: finds what the store holds, and tells when that has changed', async () => {
  const { model, put } = await setUp()
  await put('https://a.example/a', { score: 50 })
  const before = model.revision()
  const found = await model.find('https://a.example/a')
  expect(found).toMatchObject({ match: 'exact', state: { score: 50 } })
  expect(model.isCurrent('https://a.example/a', found, before)).toBe(true)
  await put('https://a.example/a', { score: 60 })
  expect([model.isCurrent('https://a.example/a', found, before), model.revision() - before]).toEqual([
    false,
    1,
  ])
  expect(await model.find('https://a.example/a')).toMatchObject({ state: { score: 60 } })
})

test('behavior: finds the listed template of a host, whose summary is read once', async () => {
  const { model, put, reads } = await setUp()
  await put('https://a.example/v1/%7Bcity%7D')
  await put('https://a.example/other')
  const matched = await model.find('https://a.example/v1/oslo')
  expect(matched).toMatchObject({ match: 'template', state: { endpoint: 'https://a.example/v1/%7Bcity%7D' } })
  expect(await model.find('https://a.example/none')).toBeNull()
  expect(await model.find('https://nobody.example/')).toBeNull()
  expect(reads.summaries).toEqual(['a.example', 'nobody.example'])
  await put('https://a.example/v2/%7Bcity%7D')
  expect(await model.find('https://a.example/v2/oslo')).toMatchObject({ match: 'template' })
  expect(reads.summaries).toEqual(['a.example', 'nobody.example', 'a.example'])
})

test('behavior: a change outdates its endpoint and the host’s unknown keys and templates, and nothing else', async () => {
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

test('behavior: everything is outdated when changes may have gone unseen', async () => {
  const { model, put, tellUnseen } = await setUp()
  await put('https://a.example/a')
  const found = await model.find('https://a.example/a')
  const before = model.revision()
  tellUnseen()
  expect(model.isCurrent('https://a.example/a', found, before)).toBe(false)
})

test('behavior: templates that a change overtakes are read again', async () => {
  for (const end of ['change', 'unseen'] as const) {
    const { model, put, reads, tellUnseen } = await setUp()
    let release = () => {}
    reads.summary = new Promise((resolve) => {
      release = resolve
    })
    const early = model.find('https://a.example/v1/oslo')
    await expect.poll(() => reads.summaries).toEqual(['a.example'])
    await put('https://a.example/v1/%7Bcity%7D')
    if (end === 'unseen') tellUnseen()
    release()
    expect(await early).toBeNull()
    expect(await model.find('https://a.example/v1/oslo')).toMatchObject({ match: 'template' })
  }
})

test('behavior: answers as the store does after any changes and reads', async () => {
  const key = fc.constantFrom('/a', '/b', '/v1/x', '/v1/y', '/%7Bany%7D', '/v1/%7Bany%7D')
  const step = fc.record({ path: key, isPut: fc.boolean(), score: fc.nat(99), waits: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { store, model, put } = await setUp()
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

test('behavior: a failed read is tried again', async () => {
  const { model, put, reads } = await setUp()
  await put('https://a.example/a')
  reads.endpoint = Promise.reject(new Error('no store'))
  await expect(model.find('https://a.example/a')).rejects.toThrow('no store')
  reads.endpoint = Promise.resolve()
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
