import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChainError } from '../chainError.ts'
import { contextOf, who, ZERO } from '../testing/anyRows.ts'
import { columnsOf } from '../testing/columnsOf.ts'
import type { Hex } from '../types.ts'
import { createFitCheck } from './fitCheck.ts'

const TOKEN = `0x${'7'.repeat(40)}` as const
const HASH = `0x${'9'.repeat(64)}` as const
const { window } = contextOf()
/** Two transfers to addresses that occur once. */
const columnsFor = (values: readonly [bigint, bigint]) =>
  columnsOf(values.map((value, i) => ({ block: 1100 + i * 100, from: who(1), to: who(10 + i), value })))

type Balance = (holder: string, block: number) => bigint
function checkOf(balanceOf: Balance, now = () => 0) {
  const asked: string[] = []
  const check = createFitCheck(
    {
      balanceAt: async ({ holder, block }) => {
        asked.push(`${holder} ${block}`)
        return balanceOf(holder, block)
      },
    },
    now,
  )
  return {
    asked,
    ask: (values: readonly [bigint, bigint]) => check(TOKEN, window, columnsFor(values), HASH, {}),
  }
}
/** Balances of a token where the recipients held `before` and got `got` of their transfers. */
const balances =
  (before: bigint, got: (i: number) => bigint, factor: (block: number) => bigint = () => 100n): Balance =>
  (holder, block) => {
    const i = holder === who(10) ? 0 : 1
    return ((before + (block >= 1100 + i * 100 ? got(i) : 0n)) * factor(block)) / 100n
  }

test('default: a token whose balances change as stated takes six look-ups, once in ten minutes', async () => {
  const values = [5_000n, 7_000n] as const
  let now = 0
  const { asked, ask } = checkOf(
    balances(3n, (i) => values[i] ?? 0n),
    () => now,
  )
  expect(await ask(values)).toEqual({ kind: 'fits' })
  expect(asked).toHaveLength(6)
  now = 599_000
  expect(await ask(values)).toEqual({ kind: 'fits' })
  expect(asked).toHaveLength(6)
  now = 600_000
  await ask(values)
  expect(asked).toHaveLength(12)
})

test('behavior: any fee up to a half is found, with its share', async () => {
  const value = fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n })
  await fc.assert(
    fc.asyncProperty(value, value, fc.integer({ min: 1, max: 5000 }), async (one, two, basisPoints) => {
      const values = [one, two] as const
      const got = (i: number) => (values[i] ?? 0n) - ((values[i] ?? 0n) * BigInt(basisPoints)) / 10_000n
      const { asked, ask } = checkOf(balances(11n, got))
      expect(await ask(values)).toEqual({ kind: 'takes_transfer_fee', feePct: basisPoints / 100 })
      expect(asked.length).toBeLessThanOrEqual(7)
    }),
  )
})

test('behavior: a factor between transfers is a rebase; anything else is not named', async () => {
  const values = [5_000_000n, 7_000_000n] as const
  const all = (i: number) => values[i] ?? 0n
  const kindOf = async (balance: Balance) => {
    const { asked, ask } = checkOf(balance)
    const fit = await ask(values)
    expect(asked.length).toBeLessThanOrEqual(7)
    return fit?.kind
  }
  expect(await kindOf(balances(0n, all, (block) => (block >= 1400 ? 103n : 100n)))).toBe('rebases')
  expect(await kindOf(balances(9n, all, (block) => (block >= 1400 ? 90n : 100n)))).toBe('rebases')
  // Both spent everything without a transfer, as with a wrapped coin.
  const spent = (block: number) => (block >= 1400 ? 0n : 100n)
  expect(await kindOf(balances(0n, all, spent))).toBe('balances_do_not_fit_transfers')
  // One got nothing, and the other less.
  expect(await kindOf(balances(0n, (i) => (i === 0 ? 0n : 6_000_000n)))).toBe('balances_do_not_fit_transfers')
  // A token of shares rounds.
  expect(await kindOf(balances(0n, (i) => all(i) - 2n))).toBe('fits')
})

test('error: an RPC without past state, or a window without samples, gives no result', async () => {
  const { ask } = checkOf(() => {
    throw new ChainError('unreachable', 'missing trie node')
  })
  expect(await ask([5n, 7n])).toBeNull()
  const { asked, ask: askFew } = checkOf(() => 0n)
  expect(await askFew([0n, 0n])).toBeNull()
  expect(asked).toEqual([])
})

test('behavior: one sample that no RPC can read does not discard the others', async () => {
  const columns = columnsOf(manyRows(SMALL))
  const fitOf = async (got: bigint) => {
    let reads = 0
    const balanceAt = async ({ holder, block }: { holder: string; block: number }) => {
      // A node that pruned the state of some blocks.
      if (block >= 1010 && reads++ % 4 === 0) throw new ChainError('unreachable', 'missing trie node')
      return keeping(SMALL, got)(holder, block)
    }
    return (await createFitCheck({ balanceAt }, Date.now)(TOKEN, window, columns, HASH, {}))?.kind
  }
  expect(await fitOf(0n)).toBe('balances_do_not_fit_transfers')
  expect(await fitOf(9n)).not.toBe('balances_do_not_fit_transfers')
})

test('behavior: cycles that net to zero are found by what their first sender never had', async () => {
  const ring = Array.from({ length: 30 }, (_, i) => [
    { block: 1200 + i, from: who(300 + i), to: who(400), value: 1_000n },
    { block: 1200 + i, from: who(400), to: who(300 + i), value: 1_000n },
  ]).flat()
  const columns = columnsOf([...manyRows(SMALL), ...ring])
  const fitOf = async (held: bigint) => {
    const balanceAt = async ({ holder, block }: { holder: string; block: number }) =>
      keeping(SMALL, 9n)(holder, block) + (ring.some(({ from }) => from === holder) ? held : 0n)
    return (await createFitCheck({ balanceAt }, Date.now)(TOKEN, window, columns, HASH, {}))?.kind
  }
  expect(await fitOf(0n)).toBe('balances_do_not_fit_transfers')
  // Holders that have it may send it round.
  expect(await fitOf(1_000n)).toBe('fits')
})

test('behavior: a balance that the token refuses to tell after a transfer speaks against it, one from before does not', async () => {
  const columns = columnsOf(manyRows(SMALL))
  const fitOf = async (isRefused: (holder: string, block: number) => boolean) => {
    const balanceAt = async ({ holder, block }: { holder: string; block: number }) => {
      if (isRefused(holder, block)) throw new ChainError('reverted', 'execution reverted')
      return keeping(SMALL, 9n)(holder, block)
    }
    return (await createFitCheck({ balanceAt }, Date.now)(TOKEN, window, columns, HASH, {}))?.kind
  }
  const small = (holder: string) => ![who(10), who(11)].includes(holder as `0x${string}`)
  expect(await fitOf((holder) => small(holder))).toBe('balances_do_not_fit_transfers')
  // A proxy that was not initialised yet.
  expect(await fitOf((_, block) => block < 1009)).not.toBe('balances_do_not_fit_transfers')
})

const SMALL = 60
/** Two large honest transfers, and small ones to some holders, each in a block of its own. */
const manyRows = (holders: number) => [
  { block: 1001, from: who(1), to: who(10), value: 5_000n },
  { block: 1002, from: who(1), to: who(11), value: 7_000n },
  ...Array.from({ length: SMALL }, (_, i) => ({
    block: 1010 + i,
    from: who(1),
    to: who(20 + (i % holders)),
    value: 9n,
  })),
]
/** Balances of a token that keeps a share of what the small transfers state. */
const keeping = (holders: number, got: bigint) => (holder: string, block: number) =>
  manyRows(holders)
    .filter((row) => row.to === holder && row.block <= block)
    .reduce((sum, { value }) => sum + (value === 9n ? got : value), 0n)

test('behavior: invented small transfers are found, whichever addresses they name', async () => {
  for (const holders of [SMALL, 20, 1]) {
    const columns = columnsOf(manyRows(holders))
    const fitOf = async (got: bigint, hash: Hex = HASH) =>
      (
        await createFitCheck(
          { balanceAt: async ({ holder, block }) => keeping(holders, got)(holder, block) },
          Date.now,
        )(TOKEN, window, columns, hash, {})
      )?.kind
    for (let i = 0; i < 16; i++)
      expect(
        await fitOf(0n, `0x${(0x9e3779b97f4a7c15n * BigInt(i + 1)).toString(16).padStart(64, '7')}`),
      ).toBe('balances_do_not_fit_transfers')
    // Honest transfers, a fee on small ones alone, and a loss by rounding are not invented.
    expect([await fitOf(9n), await fitOf(5n), await fitOf(7n)]).toEqual(['fits', 'fits', 'fits'])
  }
})

test('behavior: mints and deposits that bring nothing are found as well', async () => {
  const minted = manyRows(SMALL).map((row) => (row.value === 9n ? { ...row, from: ZERO } : row))
  const fitOf = (got: bigint) =>
    createFitCheck({ balanceAt: async ({ holder, block }) => keeping(SMALL, got)(holder, block) }, Date.now)(
      TOKEN,
      window,
      columnsOf(minted),
      HASH,
      {},
    )
  expect(await fitOf(0n)).toEqual({ kind: 'balances_do_not_fit_transfers' })
  expect(await fitOf(9n)).toEqual({ kind: 'fits' })
})

test('behavior: a rival cannot make an honest holder look as if it received nothing', async () => {
  // It sends on what it received in the same block, is sent dust, or pays itself.
  const rows = [
    ...manyRows(SMALL),
    ...Array.from({ length: 60 }, (_, i) => [
      { block: 1100 + i, from: who(2), to: who(200 + i), value: 50n },
      { block: 1100 + i, from: who(200 + i), to: who(3), value: 50n },
      { block: 1100 + i, from: who(4), to: who(4), value: 1_000n },
      { block: 1100 + i, from: who(4), to: who(5), value: 0n },
    ]).flat(),
  ]
  const balanceOf = (holder: string, block: number) =>
    10n ** 9n +
    rows
      .filter((row) => row.block <= block)
      .reduce(
        (sum, { from, to, value }) => sum + (to === holder ? value : 0n) - (from === holder ? value : 0n),
        0n,
      )
  const check = createFitCheck({ balanceAt: async ({ holder, block }) => balanceOf(holder, block) }, Date.now)
  expect(await check(TOKEN, window, columnsOf(rows), HASH, {})).toEqual({ kind: 'fits' })
})
