import type { Fact, Listing, Observation, ObservedOffer, ReceiverRecord } from '../../facts/facts.ts'
import { DAY, HOUR } from '../../facts/times.ts'
import { SAMPLE_NOW, type Sample, sampleAddress } from './sampleServices.ts'

const BASE = 'eip155:8453'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SEPOLIA = 'eip155:84532'
const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

/** Expands a sample into its facts: listings, observations and receiver records. */
export function factsOf(sample: Sample, seed: number): Fact[] {
  const facts: Fact[] = []
  for (const [index, path] of sample.paths.entries()) {
    const endpoint = `https://${sample.host}${path.replace('{', '%7B').replace('}', '%7D')}`
    facts.push(...listingsOf(sample, endpoint, `${seed}-${index}`, seed))
    facts.push(...observationsOf(sample, endpoint, `${seed}-${index}`, seed))
  }
  const receivers = new Set([0, 1, sample.days].map((ago) => payToOf(sample, ago, seed)))
  for (const address of receivers) facts.push(recordOf(sample, address, seed))
  return facts
}

function listingsOf(sample: Sample, endpoint: string, id: string, seed: number): Listing[] {
  const at = SAMPLE_NOW - sample.days * DAY
  return (sample.directories ?? ['bazaar']).map((directory) => ({
    kind: 'listing',
    id: `lst_${id}_${directory}`,
    at,
    directory,
    endpoint,
    host: sample.host,
    url: endpoint,
    method: sample.method ?? 'GET',
    body: null,
    declaresInput: true,
    declaresOutput: true,
    title: sample.title ?? null,
    category: sample.category ?? null,
    claims: {
      network: networkOf(sample),
      asset: assetOf(sample),
      payTo: payToOf(sample, sample.days, seed),
      amountAtomic: `${priceOf(sample, sample.days)}`,
      priceUsd: sample.listedUsd ?? null,
      healthy: true,
      calls: sample.claimedCalls ?? null,
    },
    claimedAt: at,
    ownClaim: directory === 'bazaar',
  }))
}

function observationsOf(sample: Sample, endpoint: string, id: string, seed: number): Observation[] {
  const step = (sample.everyHours ?? 6) * HOUR
  const count = Math.max(1, Math.floor((sample.days * DAY) / step))
  return Array.from({ length: count }, (_, index) => {
    const at = SAMPLE_NOW - 23 * 60_000 - (count - 1 - index) * step
    const daysAgo = (SAMPLE_NOW - at) / DAY
    const outcome = sample.outcome?.(daysAgo, index) ?? 'up'
    const isUp = outcome === 'up'
    return {
      kind: 'observation',
      id: `obs_${id}_${index}`,
      at,
      endpoint,
      host: sample.host,
      purpose: 'scheduled',
      client: `${index % 3}`,
      method: sample.method ?? 'GET',
      outcome,
      cause: isUp ? 'challenge' : outcome === 'down' ? 'server_error' : unmeasuredCause(sample),
      httpStatus: isUp ? 402 : outcome === 'down' ? 502 : 403,
      latencyMs: Math.round((sample.latencyMs ?? 120) * (0.7 + ((index * 7919) % 100) / 120)),
      versions: isUp ? [1, 2] : [],
      offers: isUp ? [offerOf(sample, daysAgo, seed)] : [],
      resourceOrigin: isUp ? `https://${sample.host}` : null,
      declaresInput: true,
      declaresOutput: true,
      disagreements: [],
      problems: [],
    }
  })
}

function unmeasuredCause({ optsOut, isUnread }: Sample) {
  if (optsOut) return 'opted_out'
  return isUnread ? 'documents_unread' : 'blocked'
}

function offerOf(sample: Sample, daysAgo: number, seed: number): ObservedOffer {
  return {
    x402Version: 2,
    scheme: 'exact',
    network: networkOf(sample),
    asset: assetOf(sample),
    payTo: payToOf(sample, daysAgo, seed),
    amountAtomic: `${priceOf(sample, daysAgo)}`,
    unsafeFlow: null,
  }
}

function recordOf(sample: Sample, address: string, seed: number): ReceiverRecord {
  const category = sample.category30d ?? 'blank'
  const [receipts, payers] =
    category === 'established' ? [412 + seed * 37, 48 + seed] : category === 'dormant' ? [96, 14] : [0, 0]
  return {
    kind: 'receiver',
    id: `rcv_${address}`,
    at: SAMPLE_NOW - 2 * HOUR,
    network: networkOf(sample),
    address,
    category,
    isContract: false,
    receiptsEver: receipts * 2,
    receipts30d: category === 'dormant' ? 0 : receipts,
    receipts90d: receipts,
    payers30d: category === 'dormant' ? 0 : payers,
    payers90d: payers,
    unadjusted: {
      receipts30d: category === 'dormant' ? 0 : receipts * 2,
      receipts90d: receipts * 2,
      payers30d: category === 'dormant' ? 0 : payers + 1,
      payers90d: payers + 1,
    },
    selfFundedExcluded: 1,
    firstReceiptAt: null,
    lastReceiptAt: receipts > 0 ? SAMPLE_NOW - (category === 'dormant' ? 44 : 0.2) * DAY : null,
    lastOutflowAt: receipts > 0 ? SAMPLE_NOW - 3 * DAY : null,
    historyFrom: SAMPLE_NOW - 400 * DAY,
    historyFromBlock: 20_924_117,
    isWholeLife: false,
    sanctions: { contract: '0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B', isListed: false },
    blockNumber: 38_204_117,
    blockHash: `0x${'ab'.repeat(32)}`,
  }
}

const networkOf = ({ network }: Sample) => (network === 'sepolia' ? SEPOLIA : BASE)
const assetOf = ({ network }: Sample) => (network === 'sepolia' ? SEPOLIA_USDC : USDC)

function payToOf({ payTo }: Sample, daysAgo: number, seed: number): string {
  return typeof payTo === 'function' ? payTo(daysAgo) : (payTo ?? sampleAddress(seed))
}

function priceOf({ priceMicro }: Sample, daysAgo: number): number {
  return typeof priceMicro === 'function' ? priceMicro(daysAgo) : priceMicro
}
