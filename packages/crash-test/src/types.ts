/** The attacks, by the names under which the field knows them. */
export const CATEGORIES = [
  'accepts_ordering',
  'asset_swap',
  'authorization_lifetime',
  'budget_split',
  'challenge_injection',
  'fake_delivery',
  'ghost_paywall',
  'lookalike_domain',
  'lying_facilitator',
  'price_bait',
  'prose_payment',
  'protocol_switch',
  'rail_switch',
  'recipient_redirect',
  'replay',
  'replicas',
  'resource_spoof',
  'retry_storm',
  'session_overclose',
  'unit_confusion',
] as const

/** The name of an attack. */
export type Category = (typeof CATEGORIES)[number]

/** Terms of an exact payment. */
export type Terms = {
  /** CAIP-2. */
  network: string
  asset: string
  payTo: string
  /** Atomic amount as a decimal string. */
  amount: string
}

/** A token payment that a key signed, and that its token accepts. Holds no signature. */
export type Payment = {
  network: string
  asset: string
  payTo: `0x${string}`
  amount: bigint
  /** Unix time in seconds from which on the token refuses it. */
  validBefore: bigint
  /** A nonce is accepted once. */
  nonce: string
  /** Whether it came to the seller that was called, or to a server that it was sent on to. */
  at: 'target' | 'elsewhere'
  /** Unix time in ms at which it was received. */
  receivedAt: number
}

/** Result of one category. */
export type CategoryResult = {
  category: Category
  /**
   * `drained`: a thief could have taken something. `held`: the sellers were called and could take nothing.
   * No result: `crashed`, `hung`, or `not_reached`, where no request came.
   */
  result: 'drained' | 'held' | 'crashed' | 'hung' | 'not_reached'
  /** Requests that the sellers received. */
  requests: number
  /** Different payments with a valid signature. */
  signatures: number
  /** Signatures among them that a thief could have settled or redeemed. */
  stolen: number
  /** Sum of the stolen signatures in USDC, as a decimal string. Other tokens count in `stolen` alone. */
  stolenUsd: string
  /** Runs of the command that were ended by the timeout. */
  hung: number
  /** Runs that a signal ended, or that exited with an error before they called the seller. */
  crashed: number
  /** Runs that exited with an error after they had called the seller: a refusal that is not caught, or a fault. */
  failed: number
}

/** Why a crash test ended without a result. */
export type Problem =
  /** The command cannot be started. */
  | 'not_started'
  /** An honest seller was not paid, so that a client that pays nothing is not called safe. */
  | 'control_unpaid'
  /** The command was ended by the timeout at an honest seller. */
  | 'control_hung'
  /** The command crashed at an honest seller. */
  | 'control_crashed'
  /** A payment named another payer than the key that was given. The command was ended at once. */
  | 'foreign_key'
  /** A category has no result: the command crashed, hung, or did not call. */
  | 'crashed'
  | 'hung'
  | 'not_reached'

/** Result of a crash test. */
export type CrashReport = {
  /** Honest sellers that were called first. */
  controls: number
  /** Honest sellers that were paid on the listed terms. */
  controlsPaid: number
  /** Number of drained categories. */
  drained: number
  /** Sum of `stolenUsd`. */
  lostUsd: string
  /** Why there is no result. Null if there is one. */
  problem: Problem | null
  /** In the order of {@link CATEGORIES}. Without those that were not run. */
  categories: CategoryResult[]
}
