import type { Page } from '../../../http/deps.ts'
import type { PageDeps } from '../../pageDeps.ts'
import { createDisputePage } from '../disputes/createDisputePage.tsx'
import { createClaimPage } from './createClaimPage.tsx'

/** Creates the pages that take claims of hosts, and disputes by whoever claimed one; none if neither is taken. */
export function createClaimPages(deps: PageDeps): readonly Page[] {
  const { hostClaims, disputes } = deps
  if (hostClaims === undefined || disputes === undefined) return []
  return [createClaimPage(deps, hostClaims), createDisputePage(deps, hostClaims, disputes)]
}
