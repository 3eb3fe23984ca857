import { asks, END, honest, type Kind, LISTED } from '../parts.ts'
import { documentOf } from '../world/documents.ts'
import { addressOf } from '../world/names.ts'
import type { RivalListing } from '../world/types.ts'

/** Entry of a rival in a directory, about an honest seller. */
const LIES: readonly ((host: string) => RivalListing)[] = [
  () => ({ claims: { amountAtomic: '100', priceUsd: 0.0001 } }),
  () => ({ method: 'POST' }),
  (host) => ({ claims: { payTo: addressOf(`rival of ${host}`) } }),
  () => ({ method: 'POST', body: '{"wrong":true}', declaresInput: true }),
]

/** The seller accepts its own input alone, or none. */
const isOwnInput = ({ body }: { readonly body: string | null }) => body === null || body === '{"q":"today"}'

/** A listing by a rival, beside the seller's own or alone, changes nothing about an honest seller. */
const RIVALS_LISTING = honest('rivals-listing', 8, ({ index, host }) => ({
  rival: LIES[index % LIES.length]?.(host) ?? {},
  ...(index % LIES.length === 1 && { onlyGet: true }),
  ...(index % LIES.length === 3 && { onlyPost: true, validates: isOwnInput }),
  claim: index < LIES.length ? LISTED : { ...LISTED, directory: 'none' },
  knownFlags: ['price_drift'],
}))

/** A thief's host names an honest seller's receiver, which was paid long before. The seller is never Avoid. */
const NAMED_BY_A_THIEF = honest('named-by-a-thief', 2, ({ day, index, entry }) => ({
  isCautionByRule: true,
  knownFlags: ['receiver_accused_elsewhere'],
  also: [
    {
      host: `takes-nothing-${index}.thief.example`,
      isHonest: false,
      phases: [asks(0, [entry])],
      faults: [
        { fromDay: 0, toDay: END, verdict: 'avoid', flags: ['no_delivery'], visibleFromDay: day + 0.5 },
      ],
      purchases: [day, day + 0.5].map((atDay) => ({ atDay, delivered: false, payTo: entry.payTo })),
    },
  ],
}))

/** Tenants of one host, each with a receiver. One of them delivers nothing; the others are never Avoid. */
const TENANTS = honest('tenants', 1, ({ day, host, entry }) => {
  const payTo = addressOf(`mallory of ${host}`)
  return {
    // An incident of a tenant is medium for the others.
    isCautionByRule: true,
    knownFlags: ['host_accused'],
    paths: ['/alice', '/bob', '/mallory'],
    foulPaths: ['/mallory'],
    phase: {
      byPath: {
        '/bob': [{ ...entry, payTo: addressOf(`bob of ${host}`) }],
        '/mallory': [{ ...entry, payTo }],
      },
    },
    faults: [
      {
        fromDay: 0,
        toDay: END,
        verdict: 'avoid',
        flags: ['no_delivery'],
        path: '/mallory',
        visibleFromDay: day + 0.5,
      },
    ],
    purchases: [day, day + 0.5].map((atDay) => ({ atDay, delivered: false, path: '/mallory', payTo })),
  }
})

/** Honest hosts with documents, rivals, thieves and other tenants. */
export const HONEST_DOCUMENTS: readonly Kind[] = [
  ...[RIVALS_LISTING, NAMED_BY_A_THIEF, TENANTS],
  // Their own documents state the price that is asked, in every form.
  honest('priced-in-document', 6, ({ index, host, entry }) => ({
    phase: documentOf(index, host, entry),
    claim: index % 2 === 0 ? LISTED : { ...LISTED, directory: 'none' },
  })),
]
