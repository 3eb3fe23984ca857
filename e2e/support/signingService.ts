import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { USDC } from '@touchstone402/economy'
import { BASE, DECISION_TYPE, type SignedDecision, VERDICT_LABELS, type Verdict } from '@touchstone402/shared'
import { type LocalServer, serve } from './serve.ts'

/** A service that signs given verdicts and can inject faults. */
export type SigningService = LocalServer & {
  /** RFC 7638 thumbprint of its key. */
  thumbprint: string
  /** Decisions by endpoint. Every other endpoint is `unknown`. */
  decisions: Map<string, Partial<SignedDecision>>
  /** Vouches for an endpoint on some terms. */
  vouch(endpoint: string, ...terms: SignedDecision['terms']): void
  /** Replaces the handler of `/verify`. Null uses the normal one. */
  fault: ServiceFault | null
  /** Number of `/verify` calls. */
  readonly asked: number
  /** Creates a `/verify` response with changed decision fields, signed with any key and header. */
  answer(endpoint: string, change?: Partial<SignedDecision>, by?: Signing): Verdict
}

/** Handles one call of `/verify`. */
export type ServiceFault = (
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: string,
  service: SigningService,
) => void

/** Overrides for the signature of a response. */
export type Signing = { key?: KeyObject; header?: Record<string, unknown> }

const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')

function signJws(payload: unknown, key: KeyObject, header: Record<string, unknown>): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`
  return `${input}.${base64url(sign(null, Buffer.from(input), key))}`
}

/** Creates a term for an exact payment in USDC on Base. */
export function termOf(payTo: string, amountAtomicMax: string): SignedDecision['terms'][number] {
  const term = { x402Version: 2 as const, scheme: 'exact', network: BASE, asset: USDC, method: 'GET' }
  return { ...term, payTo, amountAtomicMin: amountAtomicMax, amountAtomicMax }
}

/** Starts a service on a free port. */
export async function startSigningService(): Promise<SigningService> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  // Source: RFC 7638 section 3, RFC 8037 appendix A.3.
  const canonical = `{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`
  const thumbprint = createHash('sha256').update(canonical).digest('base64url')
  let asked = 0
  let seq = Date.now()

  const server = await serve((request, response) => {
    const url = new URL(request.url ?? '/', service.url)
    if (url.pathname === '/.well-known/jwks.json') {
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: thumbprint, alg: 'EdDSA', use: 'sig' }] }))
      return
    }
    const endpoint = url.searchParams.get('endpoint') ?? ''
    asked += 1
    if (service.fault !== null) return service.fault(request, response, endpoint, service)
    response.end(JSON.stringify(service.answer(endpoint)))
  })
  const service: SigningService = {
    ...server,
    thumbprint,
    decisions: new Map(),
    fault: null,
    vouch(endpoint, ...terms) {
      const safe = { verdict: 'safe', receiverStability: 'stable', probes: 9 } as const
      service.decisions.set(endpoint, { ...safe, terms })
    },
    get asked() {
      return asked
    },
    answer(endpoint, change = {}, { key = privateKey, header = {} } = {}) {
      seq += 1
      const decision: SignedDecision = {
        iss: server.url,
        endpoint,
        verdict: 'unknown',
        riskLevel: 'unknown',
        flags: [],
        terms: [],
        receiverStability: null,
        probes: 0,
        checkedAt: null,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
        seq,
        scoreVersion: '1.0.0',
        ...service.decisions.get(endpoint),
        ...change,
      }
      const kind = { alg: 'EdDSA', typ: DECISION_TYPE, kid: thumbprint, ...header }
      return toAnswer(decision, signJws(decision, key, kind))
    },
  }
  return service
}

function toAnswer(decision: SignedDecision, signature: string): Verdict {
  const known = decision.verdict !== 'unknown'
  const { endpoint, verdict, riskLevel, receiverStability, probes, terms, expiresAt } = decision
  return {
    endpoint,
    verdict,
    riskLevel,
    receiverStability,
    delivery: null,
    probes,
    terms,
    expiresAt,
    known,
    match: known ? 'exact' : 'none',
    status: known ? 'live' : null,
    darkSince: null,
    label: VERDICT_LABELS[verdict],
    flags: [],
    overruledBy: [],
    degraded: false,
    reasons: [],
    receiverProfile: null,
    priceUsd: null,
    uptimePct: null,
    firstSeen: null,
    lastChecked: null,
    checkedAt: decision.checkedAt,
    ts: new Date().toISOString(),
    cacheAgeHours: null,
    advice: '',
    escalation: { recommended: !known, reason: '', liveCheck: '', priceUsd: 0.005 },
    scoreVersion: decision.scoreVersion,
    profile: '',
    signature,
  }
}
