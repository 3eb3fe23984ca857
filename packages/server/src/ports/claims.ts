/** What identifies an authorization on chain: it can be settled once. Letter case makes no difference. */
export type ClaimKey = {
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly from: string
  readonly nonce: string
}

/**
 * Where a claimed payment stands. `released` payments may be claimed again, `settled` is final.
 * `claimed` leads to settling or released; `settling` to settled, unknown or released; `unknown` to settled or released.
 */
export type ClaimState = 'claimed' | 'settling' | 'settled' | 'unknown' | 'released'

/** One payment's way through the service. */
export type Claim = ClaimKey & {
  /** Method and canonical URL with its query: a payment buys this and nothing else. */
  readonly binding: string
  readonly state: ClaimState
  readonly payTo: string
  readonly amountAtomic: string
  /** Seconds since 1970 after which the authorization is void. */
  readonly validBefore: number
  /** Milliseconds since 1970. */
  readonly claimedAt: number
  readonly updatedAt: number
  /** The settlement transaction, once known. */
  readonly txHash: string | null
  /** What was delivered, for an identical answer to an identical request. */
  readonly answer: StoredAnswer | null
}

/** An answer kept for replay, at most 24 hours. */
export type StoredAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, or null where it is a snapshot that is too large to keep. */
  readonly body: string | null
  /** The id of that snapshot. */
  readonly snapshot?: string
}

/** What came of an attempt to claim. */
export type ClaimOutcome =
  | { readonly won: true; readonly claim: Claim }
  | { readonly won: false; readonly claim: Claim }

/** Durable, atomic claims on payments: of any number of equal attempts exactly one wins. */
export type ClaimStore = {
  /** Wins where no claim on the key exists or the existing one was released; else tells the claim that stands. */
  claim(wanted: Omit<Claim, 'state' | 'updatedAt' | 'txHash' | 'answer'>): Promise<ClaimOutcome>
  /**
   * Moves a claim on; resolves when durable. What `change` leaves out stays as it was.
   *
   * @throws ClaimStateError when the present state does not allow it, or there is no such claim.
   */
  advance(
    key: ClaimKey,
    to: Exclude<ClaimState, 'claimed'>,
    change: { at: number; txHash?: string | null; answer?: StoredAnswer | null },
  ): Promise<Claim>
  get(key: ClaimKey): Promise<Claim | undefined>
  /** Claims that a crash or a fault left open: claimed, settling or unknown. */
  unsettled(): Promise<readonly Claim[]>
}
