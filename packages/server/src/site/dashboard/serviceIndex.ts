import { INTERFACE_VERSION, type Profile } from '@touchstone402/shared'
import { SCORE_VERSION } from '../../domain/judge/spec.ts'
import { profileUrl } from '../../domain/publish/verdict.ts'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'

/** Maximum number of services in the index. */
export const MAX_INDEXED = 500

/** Builds the JSON index at `/`: the operations with their prices, and the best services with their verdicts. @param total number of services */
export function describeIndex(
  shown: readonly Profile[],
  total: number,
  { publicUrl, ...deps }: Pick<PageDeps, 'publicUrl' | 'prices'>,
) {
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
    total,
    truncated: shown.length < total,
  }
}
