import type { Page } from '../http/deps.ts'
import { createAssetPages } from './assets.ts'
import { createBadgePage } from './badge.tsx'
import { createCardPages } from './card.tsx'
import { createCheckPages } from './check.tsx'
import { createDocsPage } from './docs.tsx'
import { createDocuments } from './documents.ts'
import { createFeedPages } from './feed.tsx'
import { createHomePage } from './home/home.tsx'
import { createIncidentPage } from './incident.tsx'
import { createLogPages } from './log/createLogPages.ts'
import { createMcpVerifyPage } from './mcpVerify/createMcpVerifyPage.ts'
import { createMethodologyPage } from './methodology.tsx'
import { createObservationPage } from './observation.tsx'
import type { PageDeps } from './pageDeps.ts'
import { createProfilePage } from './profile/profilePage.tsx'
import { createRedirects } from './redirects.ts'
import { createReferencePages } from './reference.tsx'
import { createReportsPage } from './reports.tsx'
import { createClaimPage } from './seller/claims/createClaimPage.tsx'
import { createDisputePage } from './seller/disputes/createDisputePage.tsx'
import { createRotationPage } from './seller/rotation/createRotationPage.tsx'
import { createWebhookPages } from './seller/webhooks/createWebhookPages.tsx'

/** Creates everything outside the contract: pages, feeds, badges and documents for programs. */
export function createPages(deps: PageDeps): readonly Page[] {
  const { hostClaims, disputes } = deps
  return [
    createHomePage(deps),
    createProfilePage(deps),
    createRotationPage(deps),
    ...(hostClaims === undefined || disputes === undefined
      ? []
      : [createClaimPage(deps, hostClaims), createDisputePage(deps, hostClaims, disputes)]),
    ...(deps.checks === undefined ? [] : createCheckPages(deps, deps.checks)),
    ...(deps.webhooks === undefined ? [] : createWebhookPages(deps, deps.webhooks)),
    ...(deps.mcpVerifier === undefined ? [] : [createMcpVerifyPage(deps, deps.mcpVerifier)]),
    createIncidentPage(deps),
    createObservationPage(deps),
    createReportsPage(deps),
    createMethodologyPage(deps),
    createDocsPage(deps),
    ...createReferencePages(deps),
    ...createFeedPages(deps),
    ...createLogPages(deps),
    createBadgePage(deps),
    ...createCardPages(deps),
    ...createDocuments(deps),
    ...createAssetPages(),
    ...createRedirects(),
  ]
}
