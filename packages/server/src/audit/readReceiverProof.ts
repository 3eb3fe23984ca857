import { ADDRESS_PATTERN, BASE, sameAddress } from '@touchstone402/shared'
import type { Address } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import type { Announcement, ObservedOffer } from '../facts/facts.ts'
import { receiverProofMessage } from '../facts/rotation.ts'
import { LIMITS } from '../judge/spec.ts'
import { type ContractReader, isAcceptedBy, isSignedBy } from './isSignedBy.ts'
import { type OptOutContext, proofsOf } from './readOptOut.ts'
import type { SignatureBudget } from './signatureBudget.ts'

/** Context of checks of receiver proofs. */
export type ReceiverProofContext = Pick<Context, 'clock' | 'ids'> &
  Pick<OptOutContext, 'policies'> & {
    /** Reads contracts on Base; null if no chain is configured. */
    readonly chain: ContractReader | null
    /** Limits the checks of receiver proofs. */
    readonly proofChecks: SignatureBudget
  }

const isAddress = (text: string): text is Address => ADDRESS_PATTERN.test(text)

/**
 * Returns new proofs for the receiver of an offer, from the documents of its host that were read last. A proof that names another
 * host, or lasts over a year, is none.
 */
export async function readReceiverProof(
  ctx: ReceiverProofContext,
  endpoint: string,
  offer: Pick<ObservedOffer, 'network' | 'payTo'>,
  known: readonly Announcement[],
): Promise<Announcement[]> {
  const { chain, clock, ids, proofChecks } = ctx
  const { host } = new URL(endpoint)
  const now = clock.now()
  const fitting = proofsOf(ctx, endpoint)
    .filter(({ network, payTo }) => network === offer.network && sameAddress(payTo, offer.payTo))
    .filter(({ expiresAt }) => expiresAt > now && expiresAt <= now + LIMITS.receiverProofMs)
  const isKnown = fitting.some(({ payTo, expiresAt }) =>
    known.some(
      (one) =>
        one.basis === 'receiver_proof' && one.expiresAt === expiresAt && sameAddress(one.newPayTo, payTo),
    ),
  )
  if (isKnown) return []
  for (const [index, proof] of fitting.entries()) {
    const { network, payTo, expires, expiresAt, signature } = proof
    if (!proofChecks.take(host)) return []
    const message = receiverProofMessage({ host, network, payTo, expires })
    // A host could name many signatures, and each costs a request.
    const isAsked = index === 0 && network === BASE && chain !== null && isAddress(payTo)
    const isProven =
      (await isSignedBy(payTo, message, signature)) ||
      (isAsked && (await isAcceptedBy(chain, payTo, message, signature)))
    if (!isProven) continue
    const receiver = { host, network, oldPayTo: offer.payTo, newPayTo: offer.payTo }
    const rest = { basis: 'receiver_proof', validFrom: now, expiresAt, txHash: null } as const
    return [{ kind: 'announcement', id: ids.newId('ann'), at: now, ...receiver, ...rest }]
  }
  return []
}
