import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, TransferSource } from '@touchstone402/transfers'
import { profileReceiver } from '@touchstone402/transfers'
import type { ReceiverRecord } from '../domain/facts/facts.ts'
import { HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

/** How long a chain record of a receiver serves before it is read again. */
const RECORD_LIFETIME_MS = 6 * HOUR

export type ProfilerDeps = {
  readonly source: Pick<TransferSource, 'receiver'> | null
  readonly store: Store
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** Looks receivers up on chain. */
export type ReceiverProfiler = {
  /** Records the receiver anew where the last record is old; nothing is recorded when the chain cannot be read. */
  refresh(
    network: string,
    address: string,
    options?: { force?: boolean; signal?: AbortSignal },
  ): Promise<void>
}

/** Makes the profiler for the one network that the source reads: USDC on Base. */
export function createReceiverProfiler({
  source,
  store,
  clock,
  newId,
  onError,
}: ProfilerDeps): ReceiverProfiler {
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
        // A chain that does not answer leaves the receiver as it was known: blank where it never was.
        onError?.(error)
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

/** The address in the lower case that chain data is keyed by, or null where it is none. */
const toAddress = (text: string): Address | null =>
  ADDRESS_PATTERN.test(text) ? `0x${text.slice(2).toLowerCase()}` : null
