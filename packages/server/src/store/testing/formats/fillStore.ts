import type { AccuracyDay } from '@touchstone402/shared'
import type { CheckRecord } from '../../../checks/checkRecord.ts'
import { aConfig } from '../../../config/testing.ts'
import type { Fact, ObservedOffer } from '../../../facts/facts.ts'
import type { EndpointState } from '../../../facts/hostDocument.ts'
import { DAY, toTimestamp } from '../../../facts/times.ts'
import { RANDOM_IDS } from '../../../lib/ids.ts'
import { anAudit } from '../../../mcp/testing/anAudit.ts'
import { decideDispute, openDispute } from '../../../owners/disputes.ts'
import type { HostClaim } from '../../../owners/hostClaim.ts'
import { sendReply, takeDownReply } from '../../../owners/replies.ts'
import { STATE_KIND, WEBHOOK_KIND, type Webhook, type WebhookState } from '../../../owners/webhook.ts'
import { decisionLeaf, incidentLeaf, mapLeaf, purchaseLeaf } from '../../../publish/leaves.ts'
import { createShopperAccounts } from '../../../shop/accounts.ts'
import { notePurchase } from '../../../shop/purchaseCaps.ts'
import { withholdPurchase } from '../../../shop/withheldPurchases.ts'
import { judgeSample } from '../../../site/testing/judgeSample.ts'
import { factsOf } from '../../../site/testing/sampleFacts.ts'
import { SAMPLE_NOW, SAMPLES } from '../../../site/testing/sampleServices.ts'
import { clockAt } from '../../../testing/clockAt.ts'
import { publishMapFiles } from '../../documents.ts'
import { readLogSize } from '../../log.ts'
import type { Store } from '../../store.ts'
import {
  aChange,
  aListing,
  anAnnouncement,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aReport,
  aWantedClaim,
} from '../records.ts'

const clock = clockAt(() => SAMPLE_NOW)
const newSalt = () => Buffer.alloc(16).toString('base64')
const HOST = SAMPLES[0]?.host ?? ''
const ENDPOINT = `https://${HOST}/v1/forecast`

/** Kinds of the documents that are written. */
export const DOCUMENT_KINDS = [
  'dispute',
  'reply',
  'claim',
  WEBHOOK_KIND,
  STATE_KIND,
  'scan',
  'mcp-verify',
  'shopper-account',
  'purchase-cap',
  'withheld-purchase',
  'funded-purchase',
  'funded-purchase-cursor',
  'shopper-day',
] as const

/** Writes every kind of row and of document that a service stores: the same ones at each call. */
export async function fillStore(store: Store): Promise<void> {
  await fillEndpoints(store)
  await fillDocuments(store)
  await fillPayments(store)
  await fillLog(store)
  await publishMapFiles(store, new Map([['1', Buffer.from('body')]]), { latest: 'head', isKept: () => true })
  await store.write('putAudit', anAudit('weather', SAMPLE_NOW))
  await store.write('append', [
    {
      kind: 'report',
      id: 'rep',
      at: SAMPLE_NOW,
      report: aReport({
        flagCounts: { payto_swap: 1 },
        hostsByVerdict: { safe: 1, caution: 0, avoid: 0, unknown: 0 },
        accuracy: ACCURACY,
      }),
    },
  ])
  await store.write('takeLease', 'leader')
}

async function fillEndpoints(store: Store): Promise<void> {
  for (const [seed, sample] of SAMPLES.entries()) {
    const facts = factsOf(sample, seed + 1)
    await store.write('append', facts)
    const endpoints = facts.flatMap((fact) => (fact.kind === 'listing' ? [fact.endpoint] : []))
    for (const endpoint of new Set(endpoints)) {
      const { state, written } = await judgeSample(endpoint, facts, { medianUsd: 0.01, count: 9 })
      const leaf = decisionLeaf(undefined, state, newSalt)
      await store.write(
        'putEndpoint',
        { ...state, ...(seed === 0 && RARE_FIELDS) },
        { ...written, leaves: leaf === undefined ? [] : [leaf] },
      )
    }
  }
  const at = SAMPLE_NOW - DAY
  const resolved = anIncident({ id: 'i2', status: 'resolved', resolvedAt: toTimestamp(at) })
  await store.write('append', [
    aReceiver(),
    aPurchase(),
    anAnnouncement(),
    { kind: 'change', id: 'c', at, change: aChange() },
    { kind: 'incident', id: 'i', at, incident: anIncident() },
    { kind: 'incident', id: 'j', at, incident: resolved },
    ...rareFacts(at),
  ])
}

/** Facts with fields that those above do not have. */
function rareFacts(at: number): readonly Fact[] {
  const place = { endpoint: ENDPOINT, host: HOST }
  const offer = {
    ...anObservation().offers[0],
    lenient: true,
    mostAtomic: '5000',
    protocol: 'mpp',
  } as ObservedOffer
  return [
    aListing({
      ...place,
      id: 'rare-l',
      at,
      samples: [`${ENDPOINT}?city=Bergen`],
      generated: [`${ENDPOINT}?city=a`],
      claims: { ...aListing().claims, healthy: true, priceUsd: null },
      claimedAt: at,
    }),
    anObservation({
      ...place,
      id: 'rare-o',
      at,
      gapMs: 1,
      input: 'declared',

      offers: [offer],
    }),
    aReceiver({ id: 'rare-r', at, payerSources: 1 }),
    { ...aPurchase(), id: 'rare-p', at, hasInput: true, isFunded: true, shownFrom: at },
    { ...anAnnouncement(), id: 'rare-a', at, basis: 'host_confirmed', claimedAt: at },
    { kind: 'incident', id: 'k', at, incident: anIncident({ id: 'i3', receiver: ACCUSED }) },
  ]
}

async function fillDocuments(store: Store): Promise<void> {
  const put = (kind: string, id: string, data: unknown) =>
    store.write('putDocument', { kind, id, expiresAt: SAMPLE_NOW + 365 * DAY, data }, SAMPLE_NOW)
  const ctx = { store, clock, config: aConfig(), ids: { ...RANDOM_IDS, newSalt } }
  const dispute = { host: HOST, endpoint: ENDPOINT, incident: null, text: 'It was a planned outage.' }
  await openDispute(ctx, dispute)
  const second = await openDispute(ctx, dispute)
  await decideDispute(ctx, `${second?.id}`, 'answered', 'It was.')
  const host = { host: HOST, endpoint: null, incident: null }
  await sendReply(ctx, host, 'We moved.', CLAIM)
  const { id } = await sendReply(ctx, { ...host, incident: 'none' }, 'We moved.', CLAIM)
  await takeDownReply(ctx, id, 'It names a person.')
  await put('claim', `${HOST} file`, CLAIM)
  await put(WEBHOOK_KIND, WEBHOOK.id, WEBHOOK)
  await put(STATE_KIND, WEBHOOK.id, WEBHOOK_STATE)
  await put('scan', CHECK.id, CHECK)
  await put('mcp-verify', 'weather', anAudit('weather', SAMPLE_NOW))
  await createShopperAccounts(ctx, `0x${'1'.repeat(64)}`).notePayment()
  const { network, payTo } = aPurchase()
  await put('funded-purchase', 'first', { from: payTo, amountAtomic: '1', notBefore: 0, spentOn: null })
  await put('funded-purchase-cursor', network, 1)
  await put('shopper-day', 'current', '2026-06-01')
  await notePurchase(ctx, { host: HOST, network, payTo })
}

async function fillPayments(store: Store): Promise<void> {
  const wanted = { ...aWantedClaim(), facilitator: 'https://facilitator.example' }
  await store.write('claimPayment', wanted)
  const at = SAMPLE_NOW
  const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
  await store.write('advancePayment', wanted, 'settling', { at, answer })
  await store.write('advancePayment', wanted, 'settled', { at, txHash: `0x${'ef'.repeat(32)}` })
}

async function fillLog(store: Store): Promise<void> {
  await withholdPurchase({ store, clock }, aPurchase(), 0)
  await store.write('addLeaves', [
    incidentLeaf(anIncident(), SAMPLE_NOW, newSalt),
    purchaseLeaf(aPurchase(), newSalt),
    mapLeaf(1, 'ab'.repeat(32), SAMPLE_NOW),
  ])
  await store.write('sequenceLeaves', 1000)
  const size = await readLogSize(store)
  await store.write('putHead', { note: 'touchstone.example/log', size, at: SAMPLE_NOW })
}

const ACCUSED = {
  network: aPurchase().network,
  payTo: aPurchase().payTo,
  namedAt: toTimestamp(0),
  isPaid: true,
} as const

const GROUP = { verdict: 'safe', band: 'good' } as const
const ACCURACY: AccuracyDay = {
  outcomes: [
    {
      afterDays: 1,
      date: '2026-06-01',
      groups: [
        {
          ...GROUP,
          endpoints: 1,
          domains: 1,
          measured: 1,
          live: 1,
          sameTerms: 1,
          held: 1,
          avoidAfter: 0,
          domainsMeasured: 1,
          domainsHeld: 1,
        },
      ],
    },
  ],
  deliveries: [{ afterDays: 1, date: '2026-06-01', groups: [{ ...GROUP, bought: 1, delivered: 1 }] }],
}

/** Fields of a state that few have. */
const RARE_FIELDS: Partial<EndpointState> = {
  lookalike: 'older.example',
  addedReceivers: [{ payTo: ACCUSED.payTo, from: 0, to: 1 }],
  reasons: [{ code: 'documents_unread', severity: 'info', message: 'not read', evidence: ['o'] }],
}

const CLAIM: HostClaim = {
  host: HOST,
  method: 'file',
  token: 'touchstone-claim=first',
  since: SAMPLE_NOW - DAY,
  checkedAt: SAMPLE_NOW,
  heldAt: SAMPLE_NOW,
  failures: 0,
}

const WEBHOOK: Webhook = {
  id: 'wh_first',
  host: HOST,
  url: 'https://hooks.example/touchstone',
  secret: 'whsec_',
  createdAt: SAMPLE_NOW,
}

const WEBHOOK_STATE: WebhookState = {
  isConfirmed: true,
  position: { since: SAMPLE_NOW, seen: [['c1', SAMPLE_NOW]], open: ['i1'] },
  queue: [
    {
      id: 'notice',
      event: { type: 'incident.opened', timestamp: toTimestamp(SAMPLE_NOW), data: anIncident() },
      queuedAt: SAMPLE_NOW,
    },
  ],
  failures: 1,
  nextAt: SAMPLE_NOW,
}

const CHECK: CheckRecord = {
  id: 'check',
  host: HOST,
  endpoint: ENDPOINT,
  state: 'done',
  askedAt: SAMPLE_NOW,
  finishedAt: SAMPLE_NOW,
  result: {
    verdict: 'caution',
    score: 60,
    band: 'fair',
    riskLevel: 'low',
    overruledBy: ['price_drift'],
    scoreVersion: '1.2.0',
    method: 'GET',
    terms: [],
    sells: 'Weather',
    challenge: { method: 'GET', header: null, body: '{}', isCut: false },
    stack: 'express',
    checks: [],
  },
  failure: null,
  publication: 'listed',
  previous: null,
}
