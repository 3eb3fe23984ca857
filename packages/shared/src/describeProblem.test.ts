import { describe, expect, test } from 'vitest'
import { describeProblem } from './describeProblem.ts'
import { decodeChallenge } from './x402.ts'

const ENTRY = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  maxAmountRequired: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 60,
}

function explain(document: object): (string | undefined)[] {
  const challenge = decodeChallenge({ header: null, body: JSON.stringify(document) })
  return challenge.problems.map((problem) => describeProblem(challenge, problem))
}

const v2 = (change: object) => ({ x402Version: 2, accepts: [ENTRY, { ...ENTRY, ...change }] })

describe('a malformed entry', () => {
  test.each([
    [{ amount: 10_000 }, 'amount: expected a decimal string such as "10000", got the number 10000'],
    [{ amount: 0.01 }, 'amount: expected a decimal string such as "10000", got a number'],
    [{ amount: '0x10' }, 'amount: expected a decimal string such as "10000", got another string'],
    [{ amount: '' }, 'amount: expected a decimal string such as "10000", got an empty string'],
    [{ amount: undefined }, 'amount: expected a decimal string such as "10000", got nothing'],
    [
      { maxTimeoutSeconds: -5 },
      'maxTimeoutSeconds: expected a whole number of seconds from 1 on, got the number -5',
    ],
    [{ scheme: true }, 'scheme: expected a name such as "exact", got a boolean'],
    [{ network: {} }, 'network: expected a CAIP-2 id such as "eip155:8453", got an object'],
    [{ payTo: ['0x'] }, 'payTo: expected an address of the network, got a list'],
    [{ asset: null }, 'asset: expected an address of the network, got null'],
    [{ extra: 'USD Coin' }, 'extra: expected an object, got another string'],
  ])('default: names the entry, its field, and what would be right: %j', (change, text) => {
    const { offers } = decodeChallenge({ header: null, body: JSON.stringify(v2(change)) })
    expect(offers).toHaveLength(1)
    expect(explain(v2(change))).toContain(`accepts[1].${text}`)
  })

  test('behavior: names the fields of version 1', () => {
    const entry = { ...ENTRY, network: 'base', maxAmountRequired: 1 }
    expect(explain({ x402Version: 1, accepts: [entry, { ...entry, network: '' }, 'free'] })).toEqual([
      'accepts[0].maxAmountRequired: expected a decimal string such as "10000", got the number 1',
      'accepts[1].network: expected a name such as "base", got an empty string',
      'accepts[2]: expected an object, got another string',
    ])
  })
})

test.each([
  [{ x402Version: 3 }, 'x402Version: expected 1 or 2'],
  [{ x402Version: 2 }, 'accepts: expected a list of at least one entry'],
  [{ x402Version: 2, accepts: Array(65).fill(ENTRY) }, 'accepts: expected at most 64 entries'],
])('behavior: names what is wrong with the whole document', (document, text) => {
  expect(explain(document)).toEqual([text])
})

test('behavior: has no words for an entry that is right, and that the guard does not pay', () => {
  expect(explain({ x402Version: 2, accepts: [{ ...ENTRY, network: 'base' }] })).toEqual([undefined])
})
