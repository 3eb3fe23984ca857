import type { Dispute } from '../../../claims/dispute.ts'
import type { HostClaim } from '../../../claims/hostClaim.ts'
import type { PageDeps } from '../../pageDeps.ts'

/** What whoever runs a host has shown and said. */
export type Standing = {
  /** Claims that hold, oldest first. */
  readonly claims: readonly HostClaim[]
  /** Published disputes, oldest first. */
  readonly disputes: readonly Dispute[]
}

/** Reads the claims and the published disputes of a host. */
export async function readStanding(
  { hostClaims, disputes }: Pick<PageDeps, 'hostClaims' | 'disputes'>,
  host: string,
): Promise<Standing> {
  const [claimed = [], disputed = []] = await Promise.all([hostClaims?.of(host), disputes?.published(host)])
  return { claims: claimed, disputes: disputed }
}
