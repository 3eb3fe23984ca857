import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findImplementation } from './proxy.ts'

const SLOT = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const ZEPPELIN = '7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'
const BEACON = 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
const BEHIND = `0x${'ab'.repeat(20)}`
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}` as const

/** Reads of a contract with these slots. Notes what was read. */
function storage(slots: Readonly<Record<string, string>>) {
  const asked: string[] = []
  return {
    asked,
    slot: async (slot: string) => {
      asked.push(slot)
      return slots[slot.slice(2)] ?? word('0x0')
    },
    beacon: async (beacon: string) => {
      asked.push(beacon)
      return beacon === `0x${'be'.repeat(20)}` ? word(BEHIND) : null
    },
  }
}

test('default: finds what is behind each kind of proxy', async () => {
  expect(await findImplementation(`0x7f${SLOT}54`, storage({ [SLOT]: word(BEHIND) }))).toBe(BEHIND)
  // USDC keeps its implementation in the older slot.
  expect(await findImplementation(`0x7f${ZEPPELIN}54`, storage({ [ZEPPELIN]: word(BEHIND) }))).toBe(BEHIND)
  const beacon = storage({ [BEACON]: word(`0x${'be'.repeat(20)}`) })
  expect(await findImplementation(`0x7f${BEACON}54`, beacon)).toBe(BEHIND)
  const clone = `0x363d3d373d3d3d363d73${BEHIND.slice(2)}5af43d82803e903d91602b57fd5bf3`
  const reads = storage({})
  expect(await findImplementation(clone, reads)).toBe(BEHIND)
  expect(reads.asked).toEqual([])
})

test('behavior: other contracts take no request, and upgradeable implementations are no proxies', async () => {
  const reads = storage({})
  expect(await findImplementation('0x6001600101', reads)).toBeNull()
  expect(reads.asked).toEqual([])
  expect(await findImplementation(`0x7f${SLOT}54`, reads)).toBeNull()
  expect(reads.asked).toEqual([`0x${SLOT}`])
})

test('behavior: hostile code and slots never throw', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.jsonValue(), async (code, value) => {
      const reads = { slot: async () => value, beacon: async () => null }
      expect(await findImplementation(code, reads)).toBeNull()
      const found = await findImplementation(`0x${SLOT}${BEACON}`, reads)
      expect(found === null || /^0x[0-9a-f]{40}$/.test(found)).toBe(true)
    }),
  )
})
