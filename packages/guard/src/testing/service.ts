import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BASE, DECISION_TYPE, findNetwork, type Verdict } from '@touchstone402/shared'
import type { CheckedVerdict } from '../types.ts'
import { thumbprintOf } from '../verdicts/serviceKeys.ts'
import { listen, type TestServer } from './listen.ts'

export const USDC = findNetwork(BASE)?.usdc ?? ''

/** A service that signs configured verdicts. */
export type TestService = TestServer & {
  thumbprint: string
  /** Verdicts by endpoint; other endpoints are `unknown`. */
  decisions: Map<string, Partial<CheckedVerdict>>
  /** Requested endpoints. */
  asked: string[]
  /** Handles `/verify` first; return false to continue. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  /** Handles `/trust`. */
  paid: ((request: IncomingMessage, response: ServerResponse) => unknown) | null
  /** Number of JWKS requests. */
  keySetsRead: number
  /** Rotates the signing key; former keys stay published. */
  rotate(next?: ReturnType<typeof createSigningKey>): Promise<void>
  /** Creates a signed answer of `/verify`. */
  answer(endpoint: string, change?: Partial<CheckedVerdict>): Promise<Verdict>
}

const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')

/** Signs a payload as a compact JWS. */
export function signJws(payload: unknown, key: KeyObject, header: Record<string, unknown>): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`
  return `${input}.${base64url(sign(null, Buffer.from(input), key))}`
}

/** Creates one checked term: an exact payment in USDC on Base. */
export function termOf(payTo: string, amountAtomicMax: string, change = {}) {
  const term = { x402Version: 2 as const, scheme: 'exact', network: BASE, asset: USDC, method: 'GET' }
  return { ...term, payTo, amountAtomicMin: amountAtomicMax, amountAtomicMax, ...change }
}

export async function startService(now: () => number = Date.now): Promise<TestService> {
  let signing = await createSigningKey()
  let published = [signing.jwk]
  const decisions: TestService['decisions'] = new Map()
  const asked: string[] = []
  let issuer = ''
  let seq = 1

  const answer = async (endpoint: string, change: Partial<CheckedVerdict> = {}): Promise<Verdict> => {
    seq += 1
    const decision: CheckedVerdict = {
      iss: issuer,
      endpoint,
      verdict: 'unknown',
      riskLevel: 'unknown',
      flags: [],
      terms: [],
      receiverStability: null,
      probes: 0,
      checkedAt: null,
      expiresAt: new Date(now() + 3_600_000).toISOString(),
      seq,
      scoreVersion: '1.0.0',
      ...decisions.get(endpoint),
      ...change,
    }
    const { privateKey, thumbprint: kid } = signing
    return toAnswer(decision, signJws(decision, privateKey, { alg: 'EdDSA', typ: DECISION_TYPE, kid }))
  }

  const server = await listen(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    if (url.pathname === '/.well-known/jwks.json') {
      service.keySetsRead += 1
      response.end(JSON.stringify({ keys: published }))
      return
    }
    if (url.pathname === '/trust' && service.paid !== null) return void service.paid(request, response)
    const endpoint = url.searchParams.get('endpoint') ?? ''
    asked.push(endpoint)
    if (service.fault?.(request, response)) return
    response.end(JSON.stringify(await answer(endpoint)))
  })
  issuer = server.url
  const service: TestService = {
    ...server,
    thumbprint: signing.thumbprint,
    decisions,
    asked,
    fault: null,
    paid: null,
    keySetsRead: 0,
    answer,
    async rotate(next = createSigningKey()) {
      signing = await next
      published = [signing.jwk, ...published]
    },
  }
  return service
}

/** Creates a key that signs decisions. */
export async function createSigningKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  const thumbprint = await thumbprintOf(String(jwk.x))
  return { privateKey, thumbprint, jwk: { ...jwk, kid: thumbprint, alg: 'EdDSA', use: 'sig' } }
}

function toAnswer(decision: CheckedVerdict, signature: string): Verdict {
  const known = decision.verdict !== 'unknown'
  const labels = { safe: 'Safe to pay', caution: 'Caution', avoid: 'Avoid', unknown: 'Unknown' } as const
  return {
    endpoint: decision.endpoint,
    known,
    match: known ? 'exact' : 'none',
    status: known ? 'live' : null,
    darkSince: null,
    verdict: decision.verdict,
    label: labels[decision.verdict],
    riskLevel: decision.riskLevel,
    flags: [],
    overruledBy: [],
    degraded: false,
    reasons: [],
    receiverProfile: null,
    receiverStability: decision.receiverStability,
    delivery: null,
    priceUsd: null,
    uptimePct: null,
    probes: decision.probes,
    terms: decision.terms,
    firstSeen: null,
    lastChecked: null,
    checkedAt: decision.checkedAt,
    ts: new Date().toISOString(),
    cacheAgeHours: null,
    expiresAt: decision.expiresAt,
    advice: '',
    escalation: { recommended: !known, reason: '', liveCheck: '', priceUsd: 0.005 },
    scoreVersion: decision.scoreVersion,
    profile: '',
    signature,
  }
}
