import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, Chain, ReadOptions, ReceiverProfile } from '@touchstone402/transfers'
import { ChainError } from '@touchstone402/transfers/errors'
import { getAddress } from 'viem'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { ReceiverRecord } from '../facts/facts.ts'
import { HOUR } from '../facts/times.ts'
import { logUntilStop } from '../lib/logFailure.ts'
import { readReceiverRecords } from '../store/facts.ts'

/**
 * Requests per look-up for older blocks and for addresses that the receiver funded. The first look-up of a receiver,
 * and those of live checks, spend few: a seller may name a new receiver at every request.
 */
const SPARE_REQUESTS = { first: 24, later: 200 }
/** Days of a receiver's history that a look-up reads at least. */
const HISTORY_DAYS = 90
/** Age from which a chain record is refreshed. */
const RECORD_LIFETIME_MS = 6 * HOUR
/** Back-off after no RPC returned even the head of the chain. */
const REST_MS = 30_000

/** Context of the receiver profiler. */
export type ProfilerContext = Pick<Context, 'clock' | 'ids' | 'log' | 'stopping' | 'store'> & {
  readonly config: Pick<Config, 'sanctionsOracle'>
  /** Reads USDC on Base; null if no chain is configured. */
  readonly chain: Pick<Chain, 'profile' | 'heads'> | null
  /** Our own accounts, whose test purchases are no receipts; null without any. */
  readonly ownAccounts: { addresses(): Promise<ReadonlySet<Address>> } | null
}

/** Options of `refresh`. `force` ignores the age of the last record; `deadlineAt` is a Unix time in ms. */
export type RefreshOptions = Pick<ReadOptions, 'signal' | 'deadlineAt'> & { readonly force?: boolean }

/** Looks up receivers on chain. */
export type ReceiverProfiler = {
  /**
   * Records the receiver if the last record is stale. Records nothing if the chain cannot be read in time; the next
   * look-up continues where this one ended. While no RPC answers, the chain is asked every 30 s only, or by `force`.
   */
  refresh(network: string, address: string, options?: RefreshOptions): Promise<void>
}

/** Creates the profiler. It reads USDC on Base only. */
export function createReceiverProfiler(ctx: ProfilerContext): ReceiverProfiler {
  const { chain, clock, ids, ownAccounts, store } = ctx
  const oracle = toAddress(ctx.config.sanctionsOracle) ?? undefined
  const token = toAddress(findNetwork(BASE)?.usdc ?? '')
  let restUntil = Number.NEGATIVE_INFINITY
  let isAsking = false
  // Otherwise each probe waits until every retry has failed: 16 at once were three probes a second, as measured. The head
  // is asked since a failure for one receiver may not affect the others.
  const restIfDown = async ({ heads }: Pick<Chain, 'heads'>): Promise<void> => {
    if (isAsking) return
    isAsking = true
    try {
      await heads({ fresh: true })
    } catch {
      restUntil = clock.now() + REST_MS
    }
    isAsking = false
  }
  return {
    async refresh(network, address, { force = false, signal, deadlineAt } = {}) {
      const receiver = toAddress(address)
      if (chain === null || network !== BASE || receiver === null || token === null) return
      if (!force && clock.now() < restUntil) return
      const last = (await readReceiverRecords(store, network, address)).at(-1)
      if (!force && last !== undefined && clock.now() - last.at < RECORD_LIFETIME_MS) return
      try {
        const spareRequests = SPARE_REQUESTS[force || last === undefined ? 'first' : 'later']
        const own = { sanctionsOracle: oracle, ignoredPayers: await ownAccounts?.addresses() }
        const query = {
          token,
          receiver,
          signal,
          deadlineAt,
          historyDays: HISTORY_DAYS,
          spareRequests,
          ...own,
        }
        const profile = await chain.profile(query)
        const record = toRecord(network, address, ids.newId('rcv'), clock.now(), profile)
        const sanctions = oracle && { contract: getAddress(oracle), isListed: profile.isSanctioned }
        await store.write('append', [sanctions === undefined ? record : { ...record, sanctions }])
      } catch (error) {
        // The last record, if any, stays in use.
        logUntilStop(ctx, 'chain', error)
        if (error instanceof ChainError && error.code === 'unreachable') void restIfDown(chain)
      }
    },
  }
}

function toRecord(
  network: string,
  address: string,
  id: string,
  at: number,
  profile: ReceiverProfile,
): ReceiverRecord {
  const { receipts: receiptsEver, payers, ...unadjusted } = profile.raw
  return {
    kind: 'receiver',
    id,
    at,
    network,
    address,
    category: profile.category,
    isContract: profile.isContract,
    receiptsEver,
    receipts30d: profile.receipts30d,
    receipts90d: profile.receipts90d,
    payers30d: profile.payers30d,
    payers90d: profile.payers90d,
    unadjusted,
    selfFundedExcluded: profile.selfFundedExcluded,
    cycleExcluded: profile.cycleExcluded,
    payerSources: profile.payerSources,
    firstReceiptAt: toMs(profile.firstReceiptAt),
    lastReceiptAt: toMs(profile.lastReceiptAt),
    lastOutflowAt: toMs(profile.lastOutflowAt),
    historyFrom: profile.historyFrom.time * 1000,
    historyFromBlock: profile.historyFrom.number,
    isWholeLife: profile.isWhole,
    blockNumber: profile.block.number,
    blockHash: profile.block.hash,
  }
}

const toMs = (seconds: number | null) => (seconds === null ? null : seconds * 1000)

/** Returns the address in lower case, or null if it is malformed. */
const toAddress = (text: string): Address | null =>
  ADDRESS_PATTERN.test(text) ? `0x${text.slice(2).toLowerCase()}` : null
