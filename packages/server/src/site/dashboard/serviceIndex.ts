import {
  INTERFACE_VERSION,
  OPERATIONS,
  type Operation,
  type OperationId,
  type PaidOperationId,
  type Profile,
} from '@touchstone402/shared'
import { SCORE_VERSION } from '../../domain/judge/spec.ts'
import { profileUrl } from '../../domain/publish/verdict.ts'
import type { PageDeps } from '../pageDeps.ts'

const MOST_SERVICES = 500

/** What a client finds at the root: the operations with their prices, and the services with their verdicts, best first. */
export function describeIndex(services: readonly Profile[], { publicUrl, prices = {} }: PageDeps) {
  const shown = services.slice(0, MOST_SERVICES)
  return {
    service: 'Touchstone',
    description: 'Tells whether an x402 endpoint is safe to pay, before it is paid.',
    version: INTERFACE_VERSION,
    scoreVersion: SCORE_VERSION,
    openapi: `${publicUrl}/openapi.json`,
    jwks: `${publicUrl}/.well-known/jwks.json`,
    operations: (Object.entries(OPERATIONS) as [OperationId, Operation][]).map(([id, operation]) => ({
      id,
      method: 'GET',
      url: `${publicUrl}${operation.path}`,
      priceUsd: operation.priceUsd === null ? 0 : Number(prices[id as PaidOperationId] ?? operation.priceUsd),
      summary: operation.summary,
    })),
    services: shown.map(({ host, verdict, label, trustScore, liveness, riskLevel }) => ({
      host,
      verdict,
      label,
      trustScore,
      liveness,
      riskLevel,
      profile: profileUrl(publicUrl, host),
    })),
    count: shown.length,
    total: services.length,
    truncated: shown.length < services.length,
  }
}
