/** An entry of a challenge. Omitted fields are those of the listing. */
export type Offer = {
  network?: string
  asset?: string
  payTo?: string
  amount?: string
  maxTimeoutSeconds?: number
  extra?: Record<string, unknown>
}

/** A request as a seller sees it. */
export type Call = {
  origin: string
  /** Origin of the seller's second server. */
  elsewhere: string
  /** Run of the command in this category, from 0. */
  run: number
  isPaid: boolean
  /** The receiver of the listing. */
  listed: string
  /** The thief's receiver. */
  thief: string
}

/** How a seller answers a call. Exactly one of the functions is called. */
export type Reply = {
  /** Asks for payment: in the v2 header and in the v1 body. */
  challenge(offers: readonly Offer[], more?: ChallengeTexts): void
  /** Delivers what was paid for, with a receipt. */
  deliver(body?: string): void
  send(status: number, headers?: Record<string, string>, body?: string): void
}

/** Parts of a challenge besides its terms. */
export type ChallengeTexts = {
  /** @default the URL of the call */
  resource?: string
  /** @default 'The weather of a city' */
  description?: string
  error?: string
  /** Terms that stand beside as a charge of another protocol, MPP. @default none */
  byMpp?: Offer
  /** Changes the serialised JSON. */
  write?: (json: string) => string
}

/** Behavior of a server. */
export type Behavior = (call: Call, reply: Reply) => void

/** A seller that the command is sent to, and what is known of it beforehand. */
export type Seller = {
  /**
   * What is listed beforehand: the called URL with its price (`target`), the called URL as free (`free`), or the URL of
   * an honest seller that the called one imitates (`other`).
   * @default 'target'
   */
  listing?: 'target' | 'free' | 'other'
  /** Runs of the command. @default 1 */
  runs?: number
  /** Most payments on the listed terms that a careful client may sign. @default 1 */
  due?: number
  /** Most dollars that all runs together may cost, as the command is told. @default '1.00' */
  budgetUsd?: string
  answer: Behavior
  /** Behavior of the second server. @default answers 404 */
  answerElsewhere?: Behavior
}
