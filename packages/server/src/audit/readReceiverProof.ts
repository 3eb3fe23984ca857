import { sameAddress } from '@touchstone402/shared'
import type { Announcement, ObservedOffer } from '../domain/facts/facts.ts'
import { receiverProofMessage } from '../domain/judge/rotation.ts'
import { LIMITS } from '../domain/judge/spec.ts'
import type { Clock } from '../ports/clock.ts'
import { isSignedBy } from './isSignedBy.ts'
import type { HostDocumentReader } from './readOptOut.ts'

export type ReceiverProofDeps = {
  readonly documents: Pick<HostDocumentReader, 'receiverProofs'>
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

/** Creates the reader. */
export function createReceiverProofReader({
  documents,
  clock,
  newId,
}: ReceiverProofDeps): ReceiverProofReader {
  return {
    async read(endpoint, offer, known) {
      const { host } = new URL(endpoint)
      const now = clock.now()
      const proofs: Announcement[] = []
      for (const { network, payTo, expires, expiresAt, signature } of documents.receiverProofs(endpoint)) {
        if (network !== offer.network || !sameAddress(payTo, offer.payTo)) continue
        if (expiresAt <= now || expiresAt > now + LIMITS.receiverProofMs) continue
        const isKnown = known.some(
          (one) =>
            one.basis === 'receiver_proof' && one.expiresAt === expiresAt && sameAddress(one.newPayTo, payTo),
        )
        if (isKnown) return []
        const message = receiverProofMessage({ host, network, payTo, expires })
        if (!(await isSignedBy(payTo, message, signature))) continue
        const receiver = { host, network, oldPayTo: offer.payTo, newPayTo: offer.payTo }
        const proof = { basis: 'receiver_proof', validFrom: now, expiresAt, txHash: null } as const
        proofs.push({ kind: 'announcement', id: newId('ann'), at: now, ...receiver, ...proof })
      }
      return proofs.slice(0, 1)
    },
  }
}
