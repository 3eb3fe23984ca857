import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, TransferSource } from '@touchstone402/transfers'
import { profileReceiver } from '@touchstone402/transfers'
import type { ReceiverRecord } from '../domain/facts/facts.ts'
import { HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

/** Age from which a chain record is refreshed. */
const RECORD_LIFETIME_MS = 6 * HOUR

export type ProfilerDeps = {
  readonly source: Pick<TransferSource, 'receiver'> | null
  readonly store: Store
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** Looks up receivers on chain. */
export type ReceiverProfiler = {
  /** Records the receiver if the last record is stale. Records nothing if the chain cannot be read. */
  refresh(
    network: string,
    address: string,
    options?: { force?: boolean; signal?: AbortSignal },
  ): Promise<void>
}

/** Creates the profiler. It reads USDC on Base only. */
export function createReceiverProfiler(deps: ProfilerDeps): ReceiverProfiler {
  const { source, store, clock, newId } = deps
  const token = toAddress(findNetwork(BASE)?.usdc ?? '')
  return {
    async refresh(network, address, { force = false, signal } = {}) {
      const receiver = toAddress(address)
      if (source === null || network !== BASE || receiver === null || token === null) return
      const last = (await store.receiver(network, address)).at(-1)
      if (!force && last !== undefined && clock.now() - last.at < RECORD_LIFETIME_MS) return
      try {
        const facts = await source.receiver({ token, receiver, signal })
        await store.append([toRecord(network, address, newId('rcv'), clock.now(), profileReceiver(facts))])
      } catch (error) {
        // The last record, if any, stays in use.
        deps.onError?.(error)
      }
    },
  }
}

function toRecord(
  network: string,
  address: string,
  id: string,
  at: number,
  profile: ReturnType<typeof profileReceiver>,
): ReceiverRecord {
  return {
    kind: 'receiver',
    id,
    at,
    network,
    address,
    category: profile.category,
    isContract: profile.isContract,
    receiptsEver: profile.receiptsEver,
    receipts30d: profile.receipts30d,
    receipts90d: profile.receipts90d,
    payers30d: profile.payers30d,
    payers90d: profile.payers90d,
    selfFundedExcluded: profile.selfFundedExcluded,
    firstReceiptAt: toMs(profile.firstReceiptAt),
    lastReceiptAt: toMs(profile.lastReceiptAt),
    lastOutflowAt: toMs(profile.lastOutflowAt),
    historyFrom: profile.historyFrom.time * 1000,
    blockNumber: profile.block.number,
    blockHash: profile.block.hash,
  }
}

const toMs = (seconds: number | null) => (seconds === null ? null : seconds * 1000)

/** Returns the address in lower case, or null if it is malformed. */
const toAddress = (text: string): Address | null =>
  ADDRESS_PATTERN.test(text) ? `0x${text.slice(2).toLowerCase()}` : null
