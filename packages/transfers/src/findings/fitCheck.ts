import type { TokenWindow } from '@touchstone402/shared'
import { ChainError } from '../chainError.ts'
import type { Address, Hex, ReadOptions, TransferColumns, TransferSource } from '../types.ts'
import {
  type FitSample,
  pickLargeSamples,
  pickRandomSamples,
  pickSpentSamples,
  type SpentSample,
} from './fitSample.ts'
import { findLoggedFee, toPct } from './loggedFee.ts'

/**
 * How the balances of a token change with its transfers.
 *
 * - `fits`: by exactly what they state.
 * - `takes_transfer_fee`: each recipient gets less by the same share. `collector`: the fee is logged, as a transfer to it.
 * - `rebases`: balances also change between transfers, all by the same factor.
 * - `balances_do_not_fit_transfers`: in another way.
 */
export type Fit =
  | { readonly kind: 'fits' | 'rebases' | 'balances_do_not_fit_transfers' }
  | { readonly kind: 'takes_transfer_fee'; readonly feePct: number; readonly collector?: Address }

/**
 * Checks that the balances of a token change by what its transfers state: the two largest, eight at random, and as many of
 * those that brought nothing in their block. `hash` is that of the newest block, by which the latter are chosen.
 */
export type FitCheck = (
  token: Address,
  window: TokenWindow,
  columns: TransferColumns,
  hash: Hex,
  options: ReadOptions,
) => Promise<Fit | null>

/** Whether all blocks of a window were read, be it once. */
export function isWindowRead({ fromBlock, toBlock, ranges }: TokenWindow): boolean {
  return ranges.some(({ from, to }) => from === fromBlock && to === toBlock)
}

const LIFETIME_MS = 600_000
const MAX_CACHED = 1000
/** Units that a token may lose where it keeps shares instead of amounts. */
const ROUNDING = 2n
const PPM = 1_000_000n
const MAX_FEE_PPM = 500_000n
const LIKE_PPM = 100n

type Balances = Pick<TransferSource, 'balanceAt'>

const near = (one: bigint, other: bigint, by: bigint): boolean => one - other <= by && other - one <= by

/** Share of the value that a recipient did not get in the block of its transfer, in parts per million. */
async function lossPpm(
  { value, holder, block }: FitSample,
  at: (holder: Address, block: number) => Promise<bigint>,
): Promise<bigint> {
  const [before, after] = await Promise.all([at(holder, block - 1), at(holder, block)])
  const lost = value - (after - before)
  return near(lost, 0n, ROUNDING) ? 0n : (lost * PPM) / value
}

/** Compares what two recipients got with their balances. Takes four look-ups if all is well, up to seven otherwise. */
async function measureFit(
  [one, two]: readonly [FitSample, FitSample],
  toBlock: number,
  at: (holder: Address, block: number) => Promise<bigint>,
): Promise<Fit> {
  const changes = await Promise.all(
    [one, two].map(async ({ holder, block, value }) => {
      const [before, after] = await Promise.all([at(holder, block - 1), at(holder, toBlock)])
      return near(after - before, value, ROUNDING)
    }),
  )
  if (changes.every(Boolean)) return { kind: 'fits' }
  const [lossOne, lossTwo] = await Promise.all([lossPpm(one, at), lossPpm(two, at)])
  const isFee = (ppm: bigint) => ppm > 0n && ppm <= MAX_FEE_PPM
  if (isFee(lossOne) && isFee(lossTwo) && near(lossOne, lossTwo, LIKE_PPM))
    return { kind: 'takes_transfer_fee', feePct: toPct(lossOne) }
  // Neither holder is named by another transfer, so from here on both balances should stay.
  const since = Math.max(one.block, two.block)
  const [startOne, endOne, startTwo, endTwo] = await Promise.all([
    at(one.holder, since),
    at(one.holder, toBlock),
    at(two.holder, since),
    at(two.holder, toBlock),
  ])
  const held = [startOne, endOne, startTwo, endTwo].every((balance) => balance > 0n)
  const moved = !near(endOne, startOne, ROUNDING) && !near(endTwo, startTwo, ROUNDING)
  if (held && moved && near((endOne * PPM) / startOne, (endTwo * PPM) / startTwo, 1n))
    return { kind: 'rebases' }
  return { kind: 'balances_do_not_fit_transfers' }
}

/**
 * Whether a transfer brought its recipient next to nothing. Fees take less than half; where balances also change by
 * themselves, a transfer counts as invented only if the balance did not grow at all.
 */
async function isInvented(
  { value, holder, block }: FitSample,
  rebases: boolean,
  at: (holder: Address, block: number) => Promise<bigint>,
): Promise<boolean> {
  const beforeRead = at(holder, block - 1)
  beforeRead.catch(() => undefined)
  const after = await at(holder, block).catch(nullWhenReverted)
  // A token that refuses to tell the balance could hide an invented transfer.
  if (after === null) return true
  const got = after - (await beforeRead)
  if (rebases) return got <= 0n
  return got * 2n < value && !(value > ROUNDING && value - got <= ROUNDING)
}

/**
 * Whether a holder sent more than twice what it can have had. Where balances also change by themselves, that may be:
 * nothing is said then.
 */
async function isUnfunded(
  { holder, block, least }: SpentSample,
  at: (holder: Address, block: number) => Promise<bigint>,
): Promise<boolean> {
  return (await at(holder, block - 1)) * 2n + ROUNDING < least
}

/** Settles each sample on its own: one that cannot be read is left out. */
async function areAnyFalse(checks: readonly Promise<boolean>[]): Promise<boolean> {
  const settled = await Promise.allSettled(checks)
  return settled.some((check) => check.status === 'fulfilled' && check.value)
}

function nullWhenReverted(error: unknown): null {
  if (error instanceof ChainError && error.code === 'reverted') return null
  throw error
}

/**
 * Creates the check. It runs at most every ten minutes per token and window, and has no result for a window whose
 * transfers are inconclusive, or if the RPC keeps no past state.
 */
export function createFitCheck(source: Balances, now: () => number): FitCheck {
  const results = new Map<
    string,
    { readonly fit: Fit | null; readonly at: number; readonly isFinal: boolean }
  >()
  return async (token, window, columns, hash, { signal, deadlineAt }) => {
    const key = `${token} ${window.name}`
    const last = results.get(key)
    // Transfers that were missing could look like a token that does not fit.
    const isEnough = last !== undefined && (last.isFinal || !window.complete)
    if (!isWindowRead(window) || (isEnough && now() - last.at < LIFETIME_MS)) return last?.fit ?? null
    const keep = (fit: Fit | null) => {
      if (results.size >= MAX_CACHED) results.clear()
      results.set(key, { fit, at: now(), isFinal: window.complete })
      return fit
    }
    const read = new Map<string, Promise<bigint>>()
    const at = (holder: Address, block: number): Promise<bigint> => {
      const name = `${holder} ${block}`
      const known = read.get(name) ?? source.balanceAt({ token, holder, block, signal, deadlineAt })
      read.set(name, known)
      return known
    }
    const measure = async (): Promise<Fit | null> => {
      const logged = findLoggedFee(columns)
      const large = pickLargeSamples(columns)
      const fit: Fit | null =
        logged !== null
          ? { kind: 'takes_transfer_fee', ...logged }
          : large && (await measureFit(large, window.toBlock, at).catch(() => null))
      if (fit?.kind === 'balances_do_not_fit_transfers') return fit
      const rebases = fit?.kind === 'rebases'
      const received = pickRandomSamples(columns, hash).map((sample) => isInvented(sample, rebases, at))
      const spent = rebases ? [] : pickSpentSamples(columns, hash).map((sample) => isUnfunded(sample, at))
      const isFalse = await areAnyFalse([...received, ...spent])
      return isFalse ? { kind: 'balances_do_not_fit_transfers' } : fit
    }
    // A failed check must not fail the answer; one that the caller aborted must not affect the next one.
    const fit = await measure().catch(() => null)
    return signal?.aborted === true ? fit : keep(fit)
  }
}
