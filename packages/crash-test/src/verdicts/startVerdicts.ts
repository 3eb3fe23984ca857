import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { DECISION_TYPE, type SignedDecision } from '@touchstone402/shared'
import { type LocalServer, serve } from '../sellers/serve.ts'
import type { Terms } from '../types.ts'

/** Endpoint measured by the verdict service, and its terms. */
export type Measured = { url: string; terms: Terms | null }

/** A local verdict service. It signs `safe` for the endpoint that it measured, and `unknown` for all others. */
export type Verdicts = LocalServer & { measured: Measured | null }

const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')
const HOUR_MS = 3_600_000

/** Starts a verdict service that speaks the part of Touchstone's interface that a guard needs. */
export async function startVerdicts(now: () => number = Date.now): Promise<Verdicts> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  // Source: RFC 7638 section 3, RFC 8037 appendix A.3.
  const canonical = `{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`
  const kid = createHash('sha256').update(canonical).digest('base64url')
  let seq = now()
  const server = await serve((request, response) => {
    request.resume()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    response.setHeader('content-type', 'application/json')
    if (pathname === '/.well-known/jwks.json') {
      response.end(JSON.stringify({ keys: [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }] }))
      return
    }
    const endpoint = searchParams.get('endpoint')
    if (pathname !== '/verify' || endpoint === null) {
      response.writeHead(404).end('{}')
      return
    }
    seq += 1
    const decision = decide(endpoint, verdicts.measured, { iss: server.url, seq, at: now() })
    response.end(JSON.stringify({ endpoint, signature: signJws(decision, privateKey, kid) }))
  })
  const verdicts: Verdicts = { ...server, measured: null }
  return verdicts
}

function decide(
  endpoint: string,
  measured: Measured | null,
  { iss, seq, at }: { iss: string; seq: number; at: number },
): SignedDecision {
  const terms = measured?.url === endpoint ? measured.terms : null
  const common = { iss, endpoint, flags: [], seq, scoreVersion: '1.1.0' }
  const expiresAt = new Date(at + HOUR_MS).toISOString()
  if (terms === null) {
    const unknown = { verdict: 'unknown', riskLevel: 'unknown' } as const
    return {
      ...common,
      ...unknown,
      terms: [],
      receiverStability: null,
      probes: 0,
      checkedAt: null,
      expiresAt,
    }
  }
  const { network, asset, payTo, amount } = terms
  const term = { x402Version: 2 as const, scheme: 'exact', network, asset, payTo, method: 'GET' }
  return {
    ...common,
    verdict: 'safe',
    score: 95,
    riskLevel: 'clean',
    receiverStability: 'stable',
    probes: 12,
    terms: [{ ...term, amountAtomicMin: amount, amountAtomicMax: amount }],
    checkedAt: new Date(at - HOUR_MS).toISOString(),
    expiresAt,
  }
}

function signJws(payload: SignedDecision, key: KeyObject, kid: string): string {
  const header = base64url(JSON.stringify({ alg: 'EdDSA', typ: DECISION_TYPE, kid }))
  const input = `${header}.${base64url(JSON.stringify(payload))}`
  return `${input}.${base64url(sign(null, Buffer.from(input), key))}`
}
