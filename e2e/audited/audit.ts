import { walletAt } from '@touchstone402/economy'
import type {
  Change,
  DataPreview,
  Incident,
  Profile,
  ReportFeed,
  StatusFeed,
  Verdict,
} from '@touchstone402/shared'
import { describe, expect, it } from 'vitest'
import { useService } from '../support/economy.ts'

/** Expected verdict on each seller after three days of audit. */
const EXPECTED: Readonly<Record<string, { verdict: Verdict['verdict']; flag?: string; status?: string }>> = {
  'honest-v2': { verdict: 'safe' },
  'honest-v1': { verdict: 'safe' },
  'honest-both': { verdict: 'safe' },
  'post-only': { verdict: 'safe' },
  'honest-weather': { verdict: 'safe' },
  // Neither its stock middleware nor a listing declares the output.
  'honest-search': { verdict: 'safe', flag: 'unverifiable' },
  'honest-translate': { verdict: 'safe' },
  'swap-now': { verdict: 'safe' },
  'no-delivery': { verdict: 'avoid', flag: 'no_delivery' },
  overpriced: { verdict: 'caution', flag: 'price_high' },
  'never-paid': { verdict: 'caution', flag: 'receiver_never_paid' },
  'per-request': { verdict: 'caution', flag: 'payto_rotates' },
  testnet: { verdict: 'avoid', flag: 'network_testnet' },
  'fake-asset': { verdict: 'avoid', flag: 'asset_unknown' },
  swapped: { verdict: 'avoid', flag: 'payto_changed' },
  'price-bait': { verdict: 'avoid', flag: 'price_bait' },
  cloaker: { verdict: 'avoid', flag: 'cloaked' },
  dead: { verdict: 'avoid', status: 'dark' },
  'no-terms': { verdict: 'avoid', status: 'invalid' },
  announced: { verdict: 'safe' },
  'opted-out': { verdict: 'unknown', status: 'unmeasured' },
}

/** A seller of another file, which changes it. */
const OTHER = 'swap-live'

const { economy, service } = await useService()

const read = async <T>(path: string): Promise<T> => {
  const response = await fetch(service.url + path)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const verify = (url: string) => read<Verdict>(`/verify?endpoint=${encodeURIComponent(url)}`)
const readProfile = async (host: string): Promise<Profile> => {
  const response = await fetch(`${service.url}/services/${encodeURIComponent(host)}`, {
    headers: { accept: 'application/json' },
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Profile
}
const seller = (id: string) => {
  const handle = economy.sellers[id]
  if (handle === undefined) throw new Error(`no such seller: ${id}`)
  return handle
}

describe('audit of the economy', () => {
  it('behavior: the table covers every seller', () => {
    expect(Object.keys(economy.sellers).sort()).toEqual([...Object.keys(EXPECTED), OTHER].sort())
  })

  it.each(Object.entries(EXPECTED))('default: %s gets its expected verdict', async (id, expected) => {
    const verdict = await verify(seller(id).url)
    expect(verdict).toMatchObject({ known: true, match: 'exact', verdict: expected.verdict })
    if (expected.flag !== undefined) expect(verdict.flags).toContain(expected.flag)
    if (expected.verdict === 'safe')
      expect(verdict.flags).toEqual(expected.flag === undefined ? [] : [expected.flag])
    if (expected.status !== undefined) expect(verdict.status).toBe(expected.status)
    expect(verdict.signature?.split('.')).toHaveLength(3)
  })

  it('behavior: profiles receivers from chain data', async () => {
    const established = await verify(seller('honest-v2').url)
    expect(established).toMatchObject({ receiverProfile: 'established', receiverStability: 'stable' })
    expect(established.score).toBeGreaterThanOrEqual(95)
    expect(await verify(seller('honest-both').url)).toMatchObject({ receiverProfile: 'dormant' })
  })

  it('behavior: a changed receiver is published as a change and as an incident with proof', async () => {
    const { changes } = await read<{ changes: Change[] }>('/changes.json')
    expect(changes).toContainEqual(
      expect.objectContaining({ kind: 'payto_swap', endpoint: seller('swapped').url }),
    )
    const { incidents } = await read<{ incidents: Incident[] }>('/incidents.json')
    const hijack = incidents.find(
      ({ kind, host }) => kind === 'receiver_hijack' && host === seller('swapped').host,
    )
    expect(hijack).toMatchObject({
      status: 'open',
      endpoint: seller('swapped').url,
      host: seller('swapped').host,
    })
    expect(hijack?.proof.blockNumber).toBeGreaterThan(0)
    // All that confirmed the new receiver.
    expect(hijack?.observations).toHaveLength(12)
  })

  it('behavior: a receiver announced by the old one is accepted without an incident', async () => {
    const { url, host, receiver } = seller('announced')
    const verdict = await verify(url)
    expect(new Set(verdict.terms.map(({ payTo }) => payTo))).toEqual(new Set([receiver]))
    expect(receiver).toBe(walletAt(153).address)
    const { changes } = await read<{ changes: Change[] }>('/changes.json?days=30&limit=1000')
    expect(changes.filter((change) => change.host === host).map(({ kind }) => kind)).toEqual(['new_service'])
  })

  it('behavior: lists the endpoints of the document that a host publishes', async () => {
    const { host } = seller('announced')
    expect((await readProfile(host)).listedBy).toEqual(['bazaar', 'host'])
    expect((await readProfile(seller('swapped').host)).listedBy).toEqual(['bazaar'])
  })

  it('behavior: a host that opts out is not probed, and its verdict is unknown', async () => {
    const { url, host } = seller('opted-out')
    const verdict = await verify(url)
    expect(verdict).toMatchObject({ known: true, probes: 0, terms: [], riskLevel: 'unknown' })
    expect([verdict.score, verdict.live]).toEqual([undefined, undefined])
    expect(await readProfile(host)).toMatchObject({
      trustScore: null,
      label: 'Unknown',
      uptime: 'too few to state (0 probes)',
      riskLevel: 'unknown',
    })
  })

  it('behavior: the incidents match the scripted faults exactly', async () => {
    const { incidents } = await read<{ incidents: Incident[] }>('/incidents.json')
    // The cloaker shows one receiver to most clients that are drawn, so the draw decides whether it looks like a change.
    const drawn = [OTHER, 'cloaker'].map((id) => seller(id).host)
    const found = incidents.filter(({ host }) => !drawn.includes(host))
    expect(found.map(({ kind, endpoint }) => `${kind} ${new URL(endpoint).hostname}`).sort()).toEqual([
      'bait_and_switch price-bait.localhost',
      'honeypot no-delivery.localhost',
      'receiver_hijack swapped.localhost',
      'unverified_receiver never-paid.localhost',
    ])
  })

  it('behavior: a service that stops responding is published as a change', async () => {
    const { changes } = await read<{ changes: Change[] }>('/changes.json?days=30&limit=1000')
    const gone = changes.filter(({ kind }) => kind === 'service_gone_dark').map(({ host }) => host)
    expect(gone).toEqual([seller('dead').host])
    expect(changes.filter(({ kind }) => kind === 'new_service').length).toBeGreaterThan(10)
  })

  it('behavior: /status.json counts the verdicts', async () => {
    const status = await read<{ ecosystem: Record<string, number>; catalogAudit: { directory: string }[] }>(
      '/status.json',
    )
    expect(status.ecosystem).toMatchObject({ tracked: 22, live: 19, dead: 1, invalid: 1, unmeasured: 1 })
    expect(status.catalogAudit.map(({ directory }) => directory)).toEqual(['402index', 'bazaar', 'host'])
  })

  it('behavior: publishes a report for each day', async () => {
    const { latest, series } = await read<ReportFeed>('/reports.json')
    const days = series.map(({ date }) => date)
    expect(days.length).toBeGreaterThanOrEqual(3)
    expect(days).toEqual([...new Set(days)].sort())
    expect(latest?.date).toBe(days.at(-1))
    expect(latest).toMatchObject({ tracked: 22, live: 19, dead: 1, invalid: 1 })
    expect(latest?.summary).toContain('Of 22 endpoints')
  })

  it('behavior: shows previews of the paid datasets', async () => {
    const { dataset } = await read<StatusFeed>('/status.json')
    expect(dataset).toMatchObject({ priceUsd: 0.1, endpoint: `${service.url}/trust/dataset` })
    expect(dataset.liveServices).toBe(19)
    const { coverage, samples, datasets } = await read<DataPreview>('/data.json')
    expect(coverage).toMatchObject({
      endpoints: 22,
      liveEndpoints: 19,
      directories: ['402index', 'bazaar', 'host'],
    })
    expect(datasets.map(({ path }) => path)).toContain('/trust/dataset')
    expect(samples).toEqual(dataset.preview)
    expect(samples[0]).toMatchObject({ verdict: 'safe', receiver: { category: 'established' } })
    expect(samples[0]?.payToHistory).toHaveLength(1)
  })

  it('behavior: the profile of a host has every field', async () => {
    const response = await fetch(`${service.url}/services/${encodeURIComponent(seller('honest-v2').host)}`, {
      headers: { accept: 'application/json' },
    })
    const profile = (await response.json()) as Profile
    expect(profile).toMatchObject({
      host: seller('honest-v2').host,
      verdict: 'safe',
      label: 'Safe to pay',
      liveness: '1/1',
      pricePerCall: '$0.01',
      network: 'Base',
      receiver: 'established',
      receiverStability: 'stable',
      riskLevel: 'clean',
      flags: [],
    })
    expect(profile.uptime).toMatch(/^100% of \d+ of our probes$/)
    expect(profile.notice).toContain('/trust')
  })

  it('behavior: the verdict on an unlisted endpoint is unknown and signed', async () => {
    expect(await verify('https://nobody.example/api')).toMatchObject({
      known: false,
      verdict: 'unknown',
      escalation: { recommended: true },
      signature: expect.any(String),
    })
  })
})
