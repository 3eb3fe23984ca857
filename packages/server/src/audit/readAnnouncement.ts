import { ADDRESS_PATTERN, BASE, findNetwork } from '@touchstone402/shared'
import type { Address, Chain } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import type { Announcement } from '../facts/facts.ts'
import { announcingAmount, readRotations, rotationMessage } from '../facts/rotation.ts'
import { DAY, HOUR } from '../facts/times.ts'
import type { Epoch } from '../judge/epochs.ts'
import { addressesOf, normalAddress } from '../judge/offers.ts'
import type { Swap } from '../judge/swaps.ts'
import { logUntilStop } from '../lib/logFailure.ts'
import type { Prober } from '../lib/prober.ts'
import { isSignedBy } from './isSignedBy.ts'
import type { SignatureBudget } from './signatureBudget.ts'

/** Context of look-ups of announcements. */
export type AnnouncementContext = Pick<Context, 'clock' | 'ids' | 'log' | 'stopping'> & {
  readonly prober: Pick<Prober, 'document'>
  /** Reads USDC on Base; null if no chain is configured. */
  readonly chain: Pick<Chain, 'blockAtOrBefore' | 'blockTimes' | 'payments'> | null
  /** Limits the checks of signed rotations. */
  readonly rotationChecks: SignatureBudget
  /** Times in Unix ms of the last look-ups of payments, by endpoint and change. */
  readonly paidLookUps: Map<string, number>
}

/** The receivers of an endpoint, and since when. */
export type SwapSide = Pick<Epoch, 'from' | 'receivers'>

/** A change of receiver of an endpoint. */
export type SeenSwap = Swap<SwapSide> & { readonly endpoint: string }

/** How far back a payment counts. */
const PAYMENT_MS = 30 * DAY
/** Minimum interval between look-ups of payments on chain. */
const ASK_AGAIN_MS = HOUR
const MAX_REMEMBERED = 10_000
/** Purpose that its calls are counted under. */
const PURPOSE = 'receivers'

/**
 * Returns rotations that the old receiver signed in `/.well-known/x402`, else those that it paid for on chain before. The host's
 * own statement does not count: an attacker may control host and receiver.
 */
export async function readAnnouncements(ctx: AnnouncementContext, swap: SeenSwap): Promise<Announcement[]> {
  const { clock, paidLookUps } = ctx
  const pairs = findPairs(swap)
  if (pairs.length === 0) return []
  const signed = await readSigned(ctx, swap, pairs)
  if (signed.length > 0) return signed
  const key = `${swap.endpoint} ${swap.after.from}`
  const last = paidLookUps.get(key)
  if (last !== undefined && clock.now() - last < ASK_AGAIN_MS) return []
  if (paidLookUps.size >= MAX_REMEMBERED) paidLookUps.clear()
  paidLookUps.set(key, clock.now())
  return readPaid(ctx, swap, pairs)
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
  { clock, ids }: AnnouncementContext,
  announcement: Omit<Announcement, 'kind' | 'id' | 'at'>,
): Announcement {
  return { kind: 'announcement', id: ids.newId('ann'), at: clock.now(), ...announcement }
}

async function readSigned(
  ctx: AnnouncementContext,
  { endpoint, after }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const { origin, host } = new URL(endpoint)
  const text = await ctx.prober.document(`${origin}/.well-known/x402`)
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
      if (!ctx.rotationChecks.take(host)) return found
      if (!(await isSignedBy(oldPayTo, message, signature))) continue
      const terms = { host, network, oldPayTo, newPayTo, validFrom: validFromAt }
      found.push(announce(ctx, { ...terms, basis: 'signature', txHash: null }))
    }
  }
  return found
}

/** Finds payments of the announcing amount from the old to the new receiver on Base. */
async function readPaid(
  ctx: AnnouncementContext,
  { endpoint, after }: SeenSwap,
  pairs: readonly Pair[],
): Promise<Announcement[]> {
  const { chain } = ctx
  const { host } = new URL(endpoint)
  const token = findNetwork(BASE)?.usdc
  if (chain === null || token === undefined || !isAddress(token)) return []
  const found: Announcement[] = []
  try {
    const findBlock = (at: number) => chain.blockAtOrBefore({ time: Math.floor(at / 1000), purpose: PURPOSE })
    const to = await findBlock(after.from)
    const from = await findBlock(after.from - PAYMENT_MS)
    for (const { network, oldPayTo, newPayTo } of pairs) {
      if (network !== BASE || !isAddress(newPayTo)) continue
      const amount = announcingAmount({ host, network, oldPayTo, newPayTo })
      const [payment] = await chain.payments({
        token,
        fromBlock: from.number,
        toBlock: to.number,
        from: oldPayTo,
        to: newPayTo,
        minValue: amount,
        maxValue: amount,
        limit: 1,
        purpose: PURPOSE,
      })
      if (payment === undefined) continue
      const { block, txHash } = payment
      const seconds = (await chain.blockTimes({ blocks: [block], purpose: PURPOSE })).get(block)
      if (seconds === undefined) continue
      const terms = { host, network, oldPayTo, newPayTo, validFrom: seconds * 1000 }
      found.push(announce(ctx, { ...terms, basis: 'payment_on_chain', txHash }))
    }
  } catch (error) {
    logUntilStop(ctx, 'chain', error)
  }
  return found
}
