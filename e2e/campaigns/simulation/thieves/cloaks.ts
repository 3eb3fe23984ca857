import { bad, END, type Kind, OWN, stolen, times, type Wrong } from '../parts.ts'
import { CLIENTS, POLYGON, SOLANA, SOLANA_THIEF, usdcEntry } from '../world/names.ts'
import type { Entry, Phase, SellerRequest } from '../world/types.ts'

const HOUR = 3_600_000
/** It counts from the first probe that was shown the other terms: the client that sees them is drawn by lot. */
const CLOAKED: Wrong = { verdict: 'avoid', flags: ['cloaked', 'receiver_alternates'], visibleFromDay: 'seen' }
/** Flags of a receiver that differs between clients, or changed. */
const BY_HOUR: Wrong = {
  verdict: 'avoid',
  flags: ['payto_changed', 'cloaked', 'payto_rotates', 'receiver_alternates'],
  visibleFromDay: 'seen',
}

type To = NonNullable<Phase['shown']>['to']

const isClient =
  (index: number): To =>
  ({ headers }) =>
    headers['user-agent'] === CLIENTS[index % CLIENTS.length]?.headers['user-agent']

/** Conditions on headers that clients of different kinds send. */
const BY_HEADER: readonly To[] = [
  ({ headers }) => !/\+https?:/.test(headers['user-agent'] ?? ''),
  ({ headers }) => headers['accept-language'] !== undefined,
  ({ headers }) => headers.accept === '*/*',
  ({ headers }) => /python/.test(headers['user-agent'] ?? ''),
]

/** Five hours of each night. */
const atNight = ({ since }: SellerRequest) => {
  const hour = (since / HOUR) % 24
  return hour >= 1 && hour < 6
}

const byHeader = (index: number): To => BY_HEADER[index % BY_HEADER.length] ?? atNight

/** Creates hosts that show some requests another receiver, or a price five times as high. */
const cloaks = (
  kind: string,
  count: number,
  to: (index: number) => To,
  twist: 'receiver' | 'price',
  wrong = CLOAKED,
): Kind =>
  bad(kind, count, ({ index, day, host, entry }) => ({
    from: index % 4 < 2 ? 0 : day,
    change: {
      shown: { to: to(index), entries: [twist === 'receiver' ? stolen(host, entry) : times(entry, 5)] },
    },
    wrong,
    ...(twist === 'price' && {
      theft: [{ fromDay: 0, toDay: END, aboveAtomic: times(entry, 2).amountAtomic }],
    }),
    claim: { ...OWN, calls: 40, price: 'stays' },
  }))

/** Circle's EURC on Base. */
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42'

/** Returns an offer to a thief on another network, in another asset, or of another scheme. */
function otherOffer(index: number, host: string, entry: Entry): Entry {
  const thief = stolen(host, entry)
  const offers: readonly Entry[] = [
    usdcEntry(POLYGON, thief.payTo, entry.amountAtomic),
    { ...thief, asset: EURC, extra: { name: 'EURC', version: '2' } },
    usdcEntry(SOLANA, SOLANA_THIEF, entry.amountAtomic),
    { ...thief, scheme: 'upto', extra: { ...thief.extra, assetTransferMethod: 'permit2' } },
  ]
  return offers[index % offers.length] ?? thief
}

/** Hosts that put another offer in front for one client, beside the one that all see. */
const CLOAKS_OTHER_OFFER = bad('cloaks-other-offer', 4, ({ index, day, host, entry }) => ({
  from: index % 4 < 2 ? 0 : day,
  change: { shown: { to: isClient(index), entries: [otherOffer(index, host, entry), entry] } },
  wrong: CLOAKED,
}))

/** Hosts with terms that depend on the client or the hour. */
export const BAD_CLOAKS: readonly Kind[] = [
  cloaks('cloaks-receiver', 6, isClient, 'receiver'),
  cloaks('cloaks-price', 3, isClient, 'price'),
  cloaks('cloaks-receiver-by-header', 4, byHeader, 'receiver'),
  cloaks('cloaks-price-by-header', 4, byHeader, 'price'),
  cloaks('cloaks-receiver-by-hour', 3, () => atNight, 'receiver', BY_HOUR),
  CLOAKS_OTHER_OFFER,
]
