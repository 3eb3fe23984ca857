import type { Challenge, Offer } from '@touchstone402/shared'

/** A challenge whose offers are of all protocols that the guard pays by. */
export type FullChallenge = Challenge & {
  /** Whether the payment library is known to read an offer; only such offers are paid. @default all */
  isSpoken?: (offer: Offer) => boolean
  /** Unix time in ms at which the last offer ended that could have been paid; absent unless all have ended. */
  expiredAt?: number
}

const GUARDED = 'needs the option mpp: createMpp() of @touchstone402/guard/mpp, which pays'
const WALLET = 'with limits of its own'
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/l402|lsat/i, `L402 needs a Lightning wallet ${WALLET}; the guard passes a token that you set yourself.`],
  [methodOf('lightning'), `MPP by lightning needs a Lightning wallet ${WALLET}.`],
  [methodOf('stripe'), `MPP by stripe needs a card and a Stripe client ${WALLET}.`],
  [methodOf('solana'), `MPP by solana needs a Solana wallet ${WALLET}.`],
  [methodOf('evm'), `MPP by evm ${GUARDED} plain authorizations: no splits, Permit2 or hashes.`],
  [methodOf('tempo'), `MPP by tempo ${GUARDED} plain charges in pull mode and sessions.`],
]

function methodOf(name: string): RegExp {
  return new RegExp(`method\\s*=\\s*"?${name}\\b`, 'i')
}

/** Describes the requirements for paying by the protocols of a 402. Contains no text of the seller. */
export function explainProtocols(authenticate: string | null): string {
  const named = NEEDS.filter(([pattern]) => pattern.test(authenticate ?? '')).map(([, sentence]) => sentence)
  return named.length === 0 ? 'MPP is paid by the methods evm and tempo.' : named.join(' ')
}
