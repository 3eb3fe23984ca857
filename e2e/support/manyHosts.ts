import {
  aListing,
  anObservation,
  aState,
  type EndpointState,
  type Observation,
  type Store,
} from '@touchstone402/server/testing'

const NETWORK = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Number of probes that are stored of an endpoint. */
const PROBES = 5
/** Number of states that are written at once. */
const AT_ONCE = 500

export type HostOptions = {
  /** Unix time in ms. */
  readonly now: number
  /** @default 1 */
  readonly endpoints?: number
  /** Origin by the name of the host. @default https without a port */
  readonly originOf?: (name: string) => string
  /** Unix time in ms at which an endpoint is due, by its place among all. @default six hours from now, so that none is due */
  readonly dueAt?: (place: number) => number
}

/** Returns the name of a host by its number, each a registrable domain. Names sort by number. */
export const hostName = (number: number) => `api-${String(number).padStart(6, '0')}.example`

/** Returns the number of a host by its name. */
export const hostNumber = (name: string) => Number(/^api-(\d{6})\./.exec(name)?.[1])

/** Returns the receiver of a host by its number. */
export const receiverOf = (number: number) => `0x${(number + 1).toString(16).padStart(40, '0')}`

/** Creates the states of a host's endpoints after a month of audits, the last one a minute before `now`. */
export function aHost(number: number, options: HostOptions): EndpointState[] {
  const { now, endpoints = 1, originOf = (name) => `https://${name}`, dueAt = () => now + 6 * HOUR } = options
  const origin = originOf(hostName(number))
  return Array.from({ length: endpoints }, (_, index) => {
    const nextProbeAt = Math.round(dueAt(number * endpoints + index))
    return anEndpoint(`${origin}/v1/resource/${index}`, number, { now, nextProbeAt })
  })
}

/** Puts hosts with consecutive numbers into a store. Returns the URLs of their endpoints. */
export async function putHosts(
  store: Store,
  { from = 0, hosts, ...options }: HostOptions & { readonly from?: number; readonly hosts: number },
): Promise<string[]> {
  const urls: string[] = []
  let writes: Promise<void>[] = []
  for (let number = from; number < from + hosts; number++) {
    const states = aHost(number, options)
    urls.push(...states.map(({ endpoint }) => endpoint))
    writes.push(
      ...states.map((state) =>
        store.write('putEndpoint', state, {
          facts: [...listingsOf(state), ...observationsOf(state)],
          days: [],
        }),
      ),
    )
    if (writes.length < AT_ONCE) continue
    await Promise.all(writes)
    writes = []
  }
  await Promise.all(writes)
  return urls
}

function anEndpoint(
  endpoint: string,
  number: number,
  { now, nextProbeAt }: { readonly now: number; readonly nextProbeAt: number },
): EndpointState {
  const payTo = receiverOf(number)
  const [probed, month] = [now - 60_000, now - 30 * DAY]
  const period = { from: new Date(month).toISOString(), to: null }
  const explorerUrl = `https://basescan.org/address/${payTo}`
  return aState({
    endpoint,
    listedBy: ['402index', 'bazaar'],
    category: 'data',
    categoryPrice: { medianUsd: 0.01, count: 40 },
    firstSeen: month,
    nextProbeAt,
    score: 75 + (number % 26),
    band: 'good',
    reasons: [],
    payTo,
    priceUsd: 0.01,
    amountAtomic: '10000',
    uptime: { up: 119, down: 1, notMeasured: 0, pct: 99.17, lowerBound: 95.4, upperBound: 99.9 },
    payToHistory: [{ payTo, ...period, proof: { chain: NETWORK, blockNumber: 100, explorerUrl } }],
    priceHistory: [{ priceUsd: 0.01, amountAtomic: '10000', ...period }],
    terms: [
      {
        x402Version: 2,
        scheme: 'exact',
        network: NETWORK,
        asset: USDC,
        payTo,
        amountAtomicMin: '10000',
        amountAtomicMax: '10000',
        method: 'GET',
      },
    ],
    derivedAt: probed,
  })
}

/** Creates the listings of a state, one in each directory. */
const listingsOf = ({ endpoint, host, listedBy, firstSeen, payTo }: EndpointState) =>
  listedBy.map((directory) =>
    aListing({
      id: `lst_${payTo}_${directory}_${endpoint.at(-1)}`,
      at: firstSeen,
      directory,
      endpoint,
      host,
      url: endpoint,
      declaresInput: false,
      category: 'data',
      claims: {
        network: NETWORK,
        asset: USDC,
        payTo,
        amountAtomic: '10000',
        priceUsd: 0.01,
        healthy: true,
        calls: null,
      },
      ownClaim: false,
    }),
  )

/** Creates probes that found the terms of a state. */
const observationsOf = ({ endpoint, host, payTo, derivedAt }: EndpointState): Observation[] =>
  Array.from({ length: PROBES }, (_, index) =>
    anObservation({
      id: `obs_${payTo}_${index}`,
      at: derivedAt - index * 6 * HOUR,
      endpoint,
      host,
      offers: [
        {
          x402Version: 2,
          scheme: 'exact',
          network: NETWORK,
          asset: USDC,
          payTo: payTo ?? '',
          amountAtomic: '10000',
          unsafeFlow: null,
          unpayable: null,
        },
      ],
      resourceOrigin: new URL(endpoint).origin,
    }),
  )
