import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, TransferSource } from '@touchstone402/transfers'
import { txHashAt, valueAt } from '@touchstone402/transfers'
import type { Announcement } from '../facts/facts.ts'
import { announcingAmount, readRotations, rotationMessage } from '../facts/rotation.ts'
import { DAY, HOUR } from '../facts/times.ts'
import type { Epoch } from '../judge/epochs.ts'
import { addressesOf, normalAddress } from '../judge/offers.ts'
import type { Swap } from '../judge/swaps.ts'
import type { Clock } from '../lib/clock.ts'
import type { Prober } from '../probe/prober.ts'
import { isSignedBy } from './isSignedBy.ts'
import { createSignatureBudget, type SignatureBudget } from './signatureBudget.ts'

export type AnnouncementDeps = {
  readonly prober: Pick<Prober, 'document'>
  /** Reads USDC on Base; null if no chain is configured. */
  readonly source: Pick<TransferSource, 'blockAtOrBefore' | 'blockTimes' | 'transfers'> | null
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** The receivers of an endpoint, and since when. */
export type SwapSide = Pick<Epoch, 'from' | 'receivers'>

/** A change of receiver of an endpoint. */
export type SeenSwap = Swap<SwapSide> & { readonly endpoint: string }

/** Looks for announcements of a changed receiver. */
export type AnnouncementReader = {
  /** Returns rotations that the old receiver signed in `/.well-known/x402`, else those that it paid for on chain before. */
  read(swap: SeenSwap): Promise<Announcement[]>
}

/** How far back a payment counts. */
const PAYMENT_MS = 30 * DAY
/** Minimum interval between look-ups of payments on chain. */
const ASK_AGAIN_MS = HOUR
const MAX_REMEMBERED = 10_000

/** Creates the reader. The host's own statement does not count: an attacker may control host and receiver. */
export function createAnnouncementReader(deps: AnnouncementDeps): AnnouncementReader {
  const asked = new Map<string, number>()
  const budget = createSignatureBudget(deps.clock)
  return {
    async read(swap) {
      const pairs = findPairs(swap)
      if (pairs.length === 0) return []
      const signed = await readSigned(deps, budget, swap, pairs)
      if (signed.length > 0) return signed
      const key = `${swap.endpoint} ${swap.after.from}`
      const last = asked.get(key)
      if (last !== undefined && deps.clock.now() - last < ASK_AGAIN_MS) return []
      if (asked.size >= MAX_REMEMBERED) asked.clear()
      asked.set(key, deps.clock.now())
      return readPaid(deps, swap, pairs)
    },
  }
}

type Pair = { readonly network: string; readonly oldPayTo: Address; readonly newPayTo: string }

/** Pairs every old receiver that can sign by EIP-191 with every new one of a network. */
function findPairs({ before, after }: SeenSwap): Pair[] {
  const olds = [...addressesOf(before.receivers)]
  return [...after.receivers].flatMap(([key, receivers]) => {
    const network = key.slice(0, key.indexOf(' '))
    return [...receivers]
      .filter((newPayTo) => !olds.includes(newPayTo))
      .flatMap((newPayTo) => olds.map((oldPayTo) => ({ network, oldPayTo, newPayTo })))
      .filter((pair): pair is Pair => isAddress(pair.oldPayTo))
  })
}

const isAddress = (text: string): text is Address => ADDRESS_PATTERN.test(text)

function announce(
  { clock, newId }: AnnouncementDeps,
  announcement: Omit<Announcement, 'kind' | 'id' | 'at'>,
): Announcement {
  return { kind: 'announcement', id: newId('ann'), at: clock.now(), ...announcement }
}

async function readSigned(
  deps: AnnouncementDeps,
  budget: SignatureBudget,
  { endpoint, after }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const { origin, host } = new URL(endpoint)
  const text = await deps.prober.document(`${origin}/.well-known/x402`)
  const found: Announcement[] = []
  for (const rotation of text === null ? [] : readRotations(text)) {
    const { network, newPayTo, validFrom, validFromAt, signature } = rotation
    // Announces no change that came before.
    if (validFromAt > after.from) continue
    const wanted = pairs.filter(
      (pair) => pair.network === network && pair.newPayTo === normalAddress(newPayTo),
    )
    for (const { oldPayTo } of wanted) {
      const message = rotationMessage({ host, network, oldPayTo, newPayTo, validFrom })
      if (!budget.take(host)) return found
      if (!(await isSignedBy(oldPayTo, message, signature))) continue
      const terms = { host, network, oldPayTo, newPayTo, validFrom: validFromAt }
      found.push(announce(deps, { ...terms, basis: 'signature', txHash: null }))
    }
  }
  return found
}

/** Finds payments of the announcing amount from the old to the new receiver on Base. */
async function readPaid(
  deps: AnnouncementDeps,
  { endpoint, after }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const { source } = deps
  const { host } = new URL(endpoint)
  const token = findNetwork(BASE)?.usdc
  if (source === null || token === undefined || !isAddress(token)) return []
  const found: Announcement[] = []
  try {
    const to = await source.blockAtOrBefore(Math.floor(after.from / 1000))
    const from = await source.blockAtOrBefore(Math.floor((after.from - PAYMENT_MS) / 1000))
    for (const { network, oldPayTo, newPayTo } of pairs) {
      if (network !== BASE || !isAddress(newPayTo)) continue
      const { columns } = await source.transfers({
        token,
        fromBlock: from.number,
        toBlock: to.number,
        from: oldPayTo,
        to: newPayTo,
      })
      const amount = announcingAmount({ host, network, oldPayTo, newPayTo })
      const row = Array.from({ length: columns.count }, (_, index) => index).find(
        (index) => valueAt(columns, index) === amount,
      )
      const block = row === undefined ? undefined : columns.block[row]
      if (row === undefined || block === undefined) continue
      const seconds = (await source.blockTimes([block])).get(block)
      if (seconds === undefined) continue
      const terms = { host, network, oldPayTo, newPayTo, validFrom: seconds * 1000 }
      const txHash = txHashAt(columns, columns.tx[row] ?? 0)
      found.push(announce(deps, { ...terms, basis: 'payment_on_chain', txHash }))
    }
  } catch (error) {
    deps.onError?.(error)
  }
  return found
}
