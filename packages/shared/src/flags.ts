import type { FLAG_RISKS } from './verdictCodes.ts'

/** The texts and the risk of a flag that pages, guards and checks share. Its rule is in the server's `judge/flags`. */
export type FlagRecord = {
  readonly risk: (typeof FLAG_RISKS)[number]
  /** Display name. */
  readonly name: string
  /** Sentence of the guard's commands. */
  readonly sentence: string
  /** Request that reproduces it, and the expected result. @default the terms are requested once */
  readonly shown?: { readonly by: ShownBy; readonly as: string }
}

/**
 * Requests that reproduce a flag: one, the same one twice, one as each client, one and the documents of the host, one that
 * is timed, or a payment.
 */
export type ShownBy = 'once' | 'twice' | 'clients' | 'documents' | 'time' | 'payment'

const RECORDS = {
  unverifiable: {
    risk: 'low',
    name: 'Not fully verifiable',
    sentence: 'Its terms depend on the caller, so they cannot be verified.',
  },
  price_drift: {
    risk: 'low',
    name: 'Price differs from a listing',
    sentence: 'Its price has changed.',
    shown: { by: 'documents', as: 'The first is what the host claims; it asks another.' },
  },
  payment_unsupported: {
    risk: 'low',
    name: 'Payment form not supported',
    sentence: 'It takes payments that this service does not verify.',
  },
  unpayable_by_stock: {
    risk: 'low',
    name: 'Not payable by stock clients',
    sentence: 'Stock clients refuse its offers.',
    shown: { by: 'once', as: 'extra in accepts lacks the EIP-712 name and version of the token.' },
  },
  price_unknown: {
    risk: 'low',
    name: 'Price not known in dollars',
    sentence: 'Its price in dollars is not known.',
  },
  terms_unreadable: {
    risk: 'low',
    name: 'Terms partly unreadable',
    sentence: 'Parts of its terms cannot be read.',
    shown: { by: 'once', as: 'accepts has entries outside the published form.' },
  },
  terms_new: {
    risk: 'low',
    name: 'New offer',
    sentence: 'It added an offer that is not confirmed yet.',
  },
  slow: {
    risk: 'low',
    name: 'Slow',
    sentence: 'It takes 10 seconds or more to answer.',
    shown: { by: 'time', as: 'The last line is the time until the answer was complete.' },
  },
  price_differs: {
    risk: 'medium',
    name: 'Price above its own document',
    sentence: 'It asks for more than its own document says.',
    shown: { by: 'documents', as: 'The first is what the host claims; it asks another.' },
  },
  price_high: {
    risk: 'medium',
    name: 'Price far above comparable ones',
    sentence: 'Its price is far above the usual.',
    shown: { by: 'once', as: 'amount in accepts, in millionths of a dollar for USDC.' },
  },
  price_varies: {
    risk: 'medium',
    name: 'Price varies at random',
    sentence: 'Its price varies at random.',
    shown: {
      by: 'twice',
      as: 'amount in accepts changes from one request to another; repeat it some times.',
    },
  },
  terms_follow_input: {
    risk: 'medium',
    name: 'Terms follow the input',
    sentence: 'Its receiver or price depends on the input.',
    shown: { by: 'twice', as: 'payTo or amount in accepts differs from one input to another.' },
  },
  terms_disagree: {
    risk: 'medium',
    name: 'Terms disagree',
    sentence: 'Its header and body name different terms.',
    shown: { by: 'clients', as: 'Entries of one network, asset and scheme name different payTo or amounts.' },
  },
  terms_unproven: {
    risk: 'medium',
    name: 'New offer to another receiver',
    sentence: 'It added an offer to another receiver that is not proven.',
  },
  terms_hidden: {
    risk: 'medium',
    name: 'Terms that only some clients read',
    sentence: 'Some clients read other terms than others.',
    shown: { by: 'once', as: 'An entry of accepts outside the published form names another payTo or more.' },
  },
  name_confusable: {
    risk: 'medium',
    name: 'Name looks like an older host',
    sentence: 'Its name looks like that of an older host.',
    shown: { by: 'once', as: 'The decoded name of the host looks like another one.' },
  },
  price_incomparable: {
    risk: 'medium',
    name: 'Another receiver at an unknown price',
    sentence: 'It offers another receiver at a price that cannot be compared.',
    shown: { by: 'once', as: 'An entry of accepts in a token without a price names another payTo.' },
  },
  payto_rotates: {
    risk: 'medium',
    name: 'Receiver rotates',
    sentence: 'It names another receiver for each request.',
    shown: { by: 'twice', as: 'The same request twice within a minute names two receivers in payTo.' },
  },
  receiver_flickers: {
    risk: 'medium',
    name: 'Another receiver for a while',
    sentence: 'It named another receiver for a while.',
    shown: { by: 'twice', as: 'payTo in accepts names another receiver at times; repeat it some times.' },
  },
  receiver_handed_over: {
    risk: 'medium',
    name: 'Receiver handed over',
    sentence: 'Its receiver was replaced after both had been offered together.',
    shown: { by: 'once', as: 'payTo in accepts differs from the earlier receiver.' },
  },
  receiver_confirmed_by_host: {
    risk: 'medium',
    name: "Receiver confirmed by the host's owner",
    sentence: "Its receiver changed, confirmed by the host's owner, not by the old receiver.",
    shown: { by: 'once', as: 'payTo in accepts differs from the earlier receiver.' },
  },
  flaky: {
    risk: 'medium',
    name: 'Often down',
    sentence: 'It is often unreachable.',
    shown: { by: 'once', as: 'Working endpoints answer 402 within 30 seconds.' },
  },
  receiver_never_paid: {
    risk: 'medium',
    name: 'Receiver never paid',
    sentence: 'Its receiver has never been paid.',
    shown: { by: 'once', as: 'The explorer shows no USDC received by payTo in accepts.' },
  },
  charges_errors: {
    risk: 'medium',
    name: 'Charges for errors',
    sentence: 'It was paid and answered with errors.',
    shown: {
      by: 'payment',
      as: 'Without TOUCHSTONE_URL, this pays real money, and exits with 2 if no complete 2xx came back.',
    },
  },
  unproven: {
    risk: 'medium',
    name: 'Dear and not proven',
    sentence: 'It costs over a dollar a call, and no delivery or payment history proves it.',
    shown: { by: 'once', as: 'amount in accepts, in millionths of a dollar for USDC.' },
  },
  receiver_differs_from_listing: {
    risk: 'medium',
    name: "Receiver differs from the seller's own listing",
    sentence: 'Its receiver differs from its own listing.',
    shown: { by: 'documents', as: 'payTo is another in each; the first is what the host claims.' },
  },
  receiver_accused_elsewhere: {
    risk: 'medium',
    name: 'Receiver under an incident of another host',
    sentence: 'Its receiver is under an incident of another host.',
    shown: { by: 'once', as: 'payTo in accepts is that of the incident.' },
  },
  host_accused: {
    risk: 'medium',
    name: 'Host under an open incident',
    sentence: 'Its host is under an open incident.',
  },
  resource_mismatch: {
    risk: 'medium',
    name: 'Challenge for another origin',
    sentence: 'Its challenge names the resource of another origin.',
    shown: { by: 'once', as: 'resource names another origin.' },
  },
  network_testnet: {
    risk: 'high',
    name: 'Test network',
    sentence: 'It takes payments on a test network.',
    shown: { by: 'once', as: 'network in accepts is a test network.' },
  },
  asset_unknown: {
    risk: 'high',
    name: 'Unknown asset',
    sentence: 'It asks for a token that is not known.',
    shown: { by: 'once', as: 'asset in accepts is no stablecoin that its issuer names on that network.' },
  },
  scheme_unsafe: {
    risk: 'high',
    name: 'Unsafe scheme',
    sentence: 'It asks for a payment scheme that is not safe.',
    shown: { by: 'once', as: 'scheme and extra in accepts describe a flow that no specification publishes.' },
  },
  payto_changed: {
    risk: 'high',
    name: 'Receiver changed',
    sentence: 'Its receiver changed.',
    shown: { by: 'once', as: 'payTo in accepts differs from the earlier receiver.' },
  },
  receiver_alternates: {
    risk: 'high',
    name: 'Another receiver again and again',
    sentence: 'It named another receiver more than once.',
    shown: { by: 'twice', as: 'payTo in accepts names another receiver at times; repeat it some times.' },
  },
  protocols_disagree: {
    risk: 'high',
    name: 'Protocols disagree',
    sentence: 'It asks for different payments by different protocols.',
  },
  price_bait: {
    risk: 'high',
    name: 'Price above listing',
    sentence: 'It asks for more than it advertises.',
    shown: { by: 'documents', as: 'The first is what the host claims; it asks another.' },
  },
  cloaked: {
    risk: 'high',
    name: 'Different terms for different clients',
    sentence: 'It shows different terms to different callers.',
    shown: { by: 'clients', as: 'payTo or amount differ by client; repeated, each gets its own again.' },
  },
  no_delivery: {
    risk: 'high',
    name: 'Paid, not delivered',
    sentence: 'It was paid and delivered nothing.',
    shown: {
      by: 'payment',
      as: 'Without TOUCHSTONE_URL, this pays real money, and exits with 2 if no complete 2xx came back.',
    },
  },
  receiver_unverified: {
    risk: 'high',
    name: 'Unverified receiver',
    sentence: 'Its receiver could not be verified.',
    shown: { by: 'once', as: 'payTo in accepts is no usable address.' },
  },
  receiver_sanctioned: {
    risk: 'high',
    name: 'Receiver on a sanctions list',
    sentence: 'Its receiver is on a sanctions list.',
    shown: { by: 'once', as: 'payTo in accepts, for which isSanctioned(address) of the oracle is true.' },
  },
  receiver_flagged: {
    risk: 'high',
    name: 'Receiver under an open incident',
    sentence: 'Its receiver is under an open incident.',
    shown: { by: 'once', as: 'payTo in accepts is that of the incident.' },
  },
} as const satisfies Readonly<Record<string, FlagRecord>>

/** Id of a flag. */
export type Flag = keyof typeof RECORDS

/** Every flag, lowest risk first. */
export const FLAG_RECORDS: Readonly<Record<Flag, FlagRecord>> = RECORDS

/** Ids of all flags, in the same order. */
export const FLAGS = Object.keys(RECORDS) as readonly Flag[]

/** Whether a code, such as that of a reason, is the id of a flag. */
export const isFlag = (code: string): code is Flag => Object.hasOwn(RECORDS, code)
