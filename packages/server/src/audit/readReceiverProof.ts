import { ADDRESS_PATTERN, BASE, sameAddress } from '@touchstone402/shared'
import type { Address } from '@touchstone402/transfers'
import type { Announcement, ObservedOffer } from '../facts/facts.ts'
import { receiverProofMessage } from '../facts/rotation.ts'
import { LIMITS } from '../judge/spec.ts'
import type { Clock } from '../lib/clock.ts'
import { type ContractReader, isAcceptedBy, isSignedBy } from './isSignedBy.ts'
import type { HostDocumentReader } from './readOptOut.ts'
import { createSignatureBudget } from './signatureBudget.ts'

export type ReceiverProofDeps = {
  readonly documents: Pick<HostDocumentReader, 'receiverProofs'>
  /** Reads contracts on Base; null if no chain is configured. */
  readonly contracts: ContractReader | null
  readonly clock: Pick<Clock, 'now'>
  readonly newId: (prefix: string) => string
}

/** Verifies that receivers signed for their hosts. */
export type ReceiverProofReader = {
  /** Returns new proofs for the receiver of an offer. A proof that names another host, or lasts over a year, is none. */
  read(
    endpoint: string,
    offer: Pick<ObservedOffer, 'network' | 'payTo'>,
    known: readonly Announcement[],
  ): Promise<Announcement[]>
}

const isAddress = (text: string): text is Address => ADDRESS_PATTERN.test(text)

/** Creates the reader. */
export function createReceiverProofReader({
  documents,
  contracts,
  clock,
  newId,
}: ReceiverProofDeps): ReceiverProofReader {
  const budget = createSignatureBudget(clock)
  return {
    async read(endpoint, offer, known) {
      const { host } = new URL(endpoint)
      const now = clock.now()
      const fitting = documents
        .receiverProofs(endpoint)
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
        if (!budget.take(host)) return []
        const message = receiverProofMessage({ host, network, payTo, expires })
        // A host could name many signatures, and each costs a request.
        const isAsked = index === 0 && network === BASE && contracts !== null && isAddress(payTo)
        const isProven =
          (await isSignedBy(payTo, message, signature)) ||
          (isAsked && (await isAcceptedBy(contracts, payTo, message, signature)))
        if (!isProven) continue
        const receiver = { host, network, oldPayTo: offer.payTo, newPayTo: offer.payTo }
        const rest = { basis: 'receiver_proof', validFrom: now, expiresAt, txHash: null } as const
        return [{ kind: 'announcement', id: newId('ann'), at: now, ...receiver, ...rest }]
      }
      return []
    },
  }
}
