import { INTERFACE_VERSION, type Profile } from '@touchstone402/shared'
import { SCORE_VERSION } from '../../domain/judge/spec.ts'
import { profileUrl } from '../../domain/publish/verdict.ts'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'

const MAX_SERVICES = 500

/** Builds the JSON index at `/`: the operations with their prices, and the services with their verdicts, best first. */
export function describeIndex(services: readonly Profile[], { publicUrl, ...deps }: PageDeps) {
  const shown = services.slice(0, MAX_SERVICES)
  return {
    service: 'Touchstone',
    description: 'Tells whether an x402 endpoint is safe to pay, before it is paid.',
    version: INTERFACE_VERSION,
    scoreVersion: SCORE_VERSION,
    openapi: `${publicUrl}/openapi.json`,
    jwks: `${publicUrl}/.well-known/jwks.json`,
    operations: listOperations(deps).map(({ id, path, priceUsd, summary }) => ({
      id,
      method: 'GET',
      url: `${publicUrl}${path}`,
      priceUsd: priceUsd ?? 0,
      summary,
    })),
    services: shown.map(({ host, verdict, label, trustScore, overruledBy, liveness, riskLevel }) => ({
      host,
      verdict,
      label,
      trustScore,
      overruledBy,
      liveness,
      riskLevel,
      profile: profileUrl(publicUrl, host),
    })),
    count: shown.length,
    total: services.length,
    truncated: shown.length < services.length,
  }
}
