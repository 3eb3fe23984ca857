import { rotationMessage } from '@touchstone402/server/parts'
import { accountOf, addressOf, BASE, CLIENTS, POLYGON, SEPOLIA, SOLANA, usdcEntry } from './names.ts'
import type { Claim, Entry, Host, Phase } from './types.ts'

const OWN: Claim = { directory: 'bazaar', method: 'GET', price: 'follows', isRefreshed: true, calls: 120 }
const LISTED: Claim = { directory: '402index', method: null, price: 'stays', isRefreshed: false, calls: null }
const SOLANA_SELLER = '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs'

/** Amounts around a cent, so that categories have a median price. */
export const amountOf = (index: number) => `${8000 + 500 * (index % 9)}`

/** Creates an honest host. Kinds override parts of it. */
function honest(kind: string, index: number, more: Partial<Host> & { phase?: Partial<Phase> } = {}): Host {
  const host = `${kind}-${index}.honest.test`
  const { phase, ...rest } = more
  return {
    host,
    kind,
    isHonest: true,
    category: `c${(index + kind.length) % 8}`,
    phases: [{ fromDay: 0, reply: 'challenge', entries: [baseEntry(host, index)], ...phase }],
    claim: index % 3 === 0 ? LISTED : OWN,
    faults: [],
    ...rest,
  }
}

const baseEntry = (host: string, index: number): Entry => usdcEntry(BASE, addressOf(host), amountOf(index))

type Maker = (index: number, day: number) => Host | Promise<Host>

const severalNetworks: Maker = (index) => {
  const host = `several-networks-${index}.honest.test`
  const amount = amountOf(index)
  const all = [
    usdcEntry(BASE, addressOf(host), amount),
    usdcEntry(POLYGON, addressOf(`${host} polygon`), amount),
    usdcEntry(SOLANA, SOLANA_SELLER, amount),
  ]
  // Some add networks over time, some drop one, some do not offer Base.
  const phases: Phase[] =
    [
      [{ fromDay: 0, reply: 'challenge' as const, entries: all }],
      [
        { fromDay: 0, reply: 'challenge' as const, entries: all.slice(0, 1) },
        { fromDay: 3, reply: 'challenge' as const, entries: all },
      ],
      [
        { fromDay: 0, reply: 'challenge' as const, entries: all },
        { fromDay: 3, reply: 'challenge' as const, entries: all.slice(1) },
      ],
      [{ fromDay: 0, reply: 'challenge' as const, entries: all.slice(1) }],
    ][index % 4] ?? []
  return honest('several-networks', index, { phases, knownFlags: ['unverifiable'] })
}

const announcedRotation: Maker = async (index, day) => {
  const host = `announced-rotation-${index}.honest.test`
  const [oldPayTo, newPayTo] = [addressOf(host), addressOf(`${host} next`)]
  const before = baseEntry(host, index)
  const after = { ...before, payTo: newPayTo }
  if (index % 4 === 3) {
    return honest('announced-rotation', index, {
      phases: [
        { fromDay: 0, reply: 'challenge', entries: [before] },
        { fromDay: day, reply: 'challenge', entries: [after] },
      ],
      funding: [{ atDay: day - 1, from: oldPayTo, to: newPayTo }],
    })
  }
  const validFrom = '2026-01-02T00:00:00Z'
  const message = rotationMessage({ host, network: BASE, oldPayTo, newPayTo, validFrom })
  const signature = await accountOf(host).signMessage({ message })
  const wellKnown = JSON.stringify(
    index % 4 === 0
      ? { newPayTo, validFrom, signature }
      : { version: 1, rotations: [{ network: BASE, newPayTo, validFrom, signature }] },
  )
  return honest('announced-rotation', index, {
    phases: [
      { fromDay: 0, reply: 'challenge', entries: [before] },
      { fromDay: day, reply: 'challenge', entries: [after], wellKnown },
    ],
  })
}

const MAKERS: readonly { kind: string; count: number; make: Maker }[] = [
  { kind: 'several-networks', count: 8, make: severalNetworks },
  {
    kind: 'deposit-addresses',
    count: 8,
    make: (index) =>
      honest('deposit-addresses', index, {
        phase: { receivers: 'per_request' },
        knownFlags: ['payto_rotates'],
      }),
  },
  {
    kind: 'receiver-pool',
    count: 3,
    make: (index) =>
      honest('receiver-pool', index, {
        phase: {
          receivers: {
            pool: [0, 1, 2].slice(0, 2 + (index % 2)).map((n) => addressOf(`pool ${index} ${n}`)),
          },
        },
        knownFlags: ['payto_rotates'],
      }),
  },
  {
    kind: 'stale-listing',
    count: 8,
    make: (index, day) => {
      const entry = baseEntry(`stale-listing-${index}.honest.test`, index)
      const raised = { ...entry, amountAtomic: `${(BigInt(entry.amountAtomic) * 5n) / 4n}` }
      return honest('stale-listing', index, {
        phases: [
          { fromDay: 0, reply: 'challenge', entries: [entry] },
          { fromDay: day, reply: 'challenge', entries: [raised] },
        ],
        claim: { ...OWN, price: 'stays', isRefreshed: false },
        knownFlags: ['price_drift'],
      })
    },
  },
  {
    kind: 'wildcard-paywall',
    count: 8,
    make: (index) => honest('wildcard-paywall', index, { isWildcard: true, knownFlags: ['unverifiable'] }),
  },
  {
    kind: 'validates-first',
    count: 8,
    make: (index) => honest('validates-first', index, { phase: { reply: 'input_needed' }, claim: LISTED }),
  },
  { kind: 'announced-rotation', count: 8, make: announcedRotation },
  {
    kind: 'refuses-bots',
    count: 8,
    make: (index) =>
      index % 2 === 0
        ? honest('refuses-bots', index, { phase: { reply: 'blocked' } })
        : honest('refuses-bots', index, { refuses: CLIENTS[0] }),
  },
  {
    kind: 'uptime-95',
    count: 8,
    make: (index) =>
      honest('uptime-95', index, {
        phase: { faults: index % 2 === 0 ? { rate: 0.05 } : { downMinutes: 20, everyMinutes: 400 } },
      }),
  },
  {
    kind: 'testnet-beside',
    count: 8,
    make: (index) => {
      const host = `testnet-beside-${index}.honest.test`
      const test = usdcEntry(SEPOLIA, addressOf(host), amountOf(index))
      return honest('testnet-beside', index, { phase: { entries: [test, baseEntry(host, index)] } })
    },
  },
  {
    kind: 'v2-only',
    count: 8,
    make: (index) =>
      index % 4 === 0
        ? honest('v2-only', index, { hidesOutput: true, knownFlags: ['unverifiable'] })
        : honest('v2-only', index),
  },
  { kind: 'same-origin-redirect', count: 8, make: (index) => honest('same-origin-redirect', index) },
  {
    kind: 'post-only',
    count: 4,
    make: (index) => honest('post-only', index, { onlyPost: true, claim: LISTED }),
  },
  {
    kind: 'dynamic-price',
    count: 3,
    make: (index) =>
      honest('dynamic-price', index, {
        phase: {
          amounts: {
            anyOf:
              index === 0 ? ['9000', '14000'] : Array.from({ length: 9 }, (_, n) => `${8000 + 2000 * n}`),
          },
        },
        knownFlags: ['price_drift'],
      }),
  },
  {
    kind: 'day-and-night-price',
    count: 2,
    make: (index) =>
      honest('day-and-night-price', index, {
        phase: { amounts: { day: '15000', night: '9000' } },
        knownFlags: ['price_drift'],
      }),
  },
]

/**
 * Returns the 100 honest hosts.
 * @param dayOf spreads changes over the simulated time
 */
export async function honestHosts(dayOf: (index: number) => number): Promise<Host[]> {
  const hosts: Host[] = []
  for (const { count, make } of MAKERS) {
    for (let index = 0; index < count; index++) hosts.push(await make(index, dayOf(hosts.length)))
  }
  return hosts
}
