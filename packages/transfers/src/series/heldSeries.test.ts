import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHeldSeries } from './heldSeries.ts'

type Sized = { readonly name: string; size: number; asked: number; bytes(): number }

/** Holds series of which each use sets the size. */
function open(maxBytes: number, maxSeries: number) {
  const held = createHeldSeries<Sized>({ maxBytes, maxSeries })
  const create = (name: string) => (): Sized => ({
    name,
    size: 0,
    asked: 0,
    bytes() {
      this.asked++
      return this.size
    },
  })
  return {
    use: (name: string, size: number, work: () => Promise<unknown> = async () => undefined) =>
      held.use(name, create(name), async (series) => {
        series.size = size
        await work()
        return series
      }),
    names: () => held.all().map(({ name }) => name),
  }
}

test('default: keeps a series until others are used that take too much memory', async () => {
  const { use, names } = open(100, 10)
  const a = await use('a', 40)
  await use('b', 40)
  expect(await use('a', 40)).toBe(a)
  expect(names()).toEqual(['b', 'a'])
  await use('c', 30)
  expect(names()).toEqual(['a', 'c'])
})

test('behavior: a series that grows evicts others, and one that shrinks makes room', async () => {
  const { use, names } = open(100, 10)
  await use('a', 50)
  await use('b', 50)
  await use('a', 10)
  await use('c', 40)
  expect(names()).toEqual(['b', 'a', 'c'])
  await use('c', 60)
  expect(names()).toEqual(['a', 'c'])
})

test('behavior: keeps at most so many series, and one that is larger than all the memory', async () => {
  const { use, names } = open(100, 2)
  for (const name of ['a', 'b', 'c']) await use(name, 1)
  expect(names()).toEqual(['b', 'c'])
  await use('d', 1000)
  expect(names()).toEqual(['d'])
})

test('behavior: a use measures only its own series, even if it fails', async () => {
  const { use, names } = open(100, 10)
  const a = await use('a', 1)
  await use('b', 1)
  expect(a.asked).toBe(1)
  await expect(use('c', 99, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
  expect(names()).toEqual(['b', 'c'])
})

test('behavior: a series that was evicted during its use does not count', async () => {
  const { use, names } = open(100, 10)
  let end = () => {}
  const slow = use('a', 90, () => new Promise<void>((resolve) => (end = resolve)))
  await use('b', 101)
  expect(names()).toEqual(['b'])
  await use('b', 50)
  end()
  await slow
  await use('c', 50)
  expect(names()).toEqual(['b', 'c'])
})

test('behavior: any uses leave the last used series that fit', async () => {
  const uses = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat({ max: 60 })), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(uses, fc.integer({ min: 1, max: 4 }), async (list, maxSeries) => {
      const { use, names } = open(100, maxSeries)
      let model: [name: string, size: number][] = []
      for (const [name, size] of list) {
        await use(name, size)
        model = [...model.filter(([other]) => other !== name), [name, size]]
        const sum = () => model.reduce((all, [, bytes]) => all + bytes, 0)
        while (model.length > 1 && (sum() > 100 || model.length > maxSeries)) model.shift()
        expect(names()).toEqual(model.map(([other]) => other))
      }
    }),
  )
})
