import { times } from '../honest/honestParts.ts'
import { CLIENTS } from '../names.ts'
import type { Phase, SellerRequest } from '../types.ts'
import { type BadKind, entryOf, nameOf, OWN, sometimes, stolen, turning, type Wrong } from './badParts.ts'

const HOUR = 3_600_000
const CLOAKED: Wrong = { verdict: 'avoid', flags: ['cloaked'] }
/** Flags of a receiver that differs between clients, or changed. */
const BY_HOUR: Wrong = { verdict: 'avoid', flags: ['payto_changed', 'cloaked', 'payto_rotates'] }

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

/** Creates hosts that show some requests another receiver, or a price five times as high. */
const cloaks = (
  kind: string,
  count: number,
  to: (index: number) => To,
  twist: 'receiver' | 'price',
  wrong = CLOAKED,
): BadKind => ({
  kind,
  count,
  make: (name, index, day) => {
    const entry = twist === 'receiver' ? stolen(name, index) : times(entryOf(nameOf(name, index), index), 5)
    const shown = { to: to(index), entries: [entry] }
    return turning(name, index, sometimes(index >> 1, day), { shown }, wrong, {
      claim: { ...OWN, price: 'stays' },
    })
  },
})

/** Hosts with terms that depend on the client or the hour. */
export const BAD_CLOAKS: readonly BadKind[] = [
  cloaks('cloaks-receiver', 9, isClient, 'receiver'),
  cloaks('cloaks-price', 6, isClient, 'price'),
  cloaks(
    'cloaks-receiver-by-header',
    8,
    (index) => BY_HEADER[index % BY_HEADER.length] ?? atNight,
    'receiver',
  ),
  cloaks('cloaks-price-by-header', 4, (index) => BY_HEADER[index % BY_HEADER.length] ?? atNight, 'price'),
  cloaks('cloaks-receiver-by-hour', 6, () => atNight, 'receiver', BY_HOUR),
]
