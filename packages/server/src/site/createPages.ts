import type { Page } from '../http/deps.ts'
import { createLogRoutes } from '../log/createLogRoutes.ts'
import { createAboutPage } from './about.tsx'
import { createAssetPages } from './assets.ts'
import { createBadgePage } from './badge.tsx'
import { createCardPages } from './card.tsx'
import { createCheckPages } from './check.tsx'
import { createDocuments } from './documents.ts'
import { createDrawing } from './drawing.ts'
import { createFindingsPage } from './endpointFindings.ts'
import { createFeedPages } from './feed.tsx'
import { createHomePage } from './home/home.tsx'
import { createIncidentPage } from './incident.tsx'
import { createLogPage } from './log.tsx'
import { createMcpVerifyPage } from './mcpVerify.ts'
import { createMethodologyPage } from './methodology.tsx'
import { createObservationPage } from './observation.tsx'
import { createOwnerPages } from './owner/ownerPages.tsx'
import type { PageDeps } from './pageDeps.ts'
import { createProfilePage } from './profile/profilePage.tsx'
import { createRedirects } from './redirects.ts'
import { createDocsPage } from './reference/guide.tsx'
import { createReferencePages } from './reference/reference.tsx'
import { createReportPages } from './reports/reports.tsx'
import { createTokenListPage } from './tokens/tokenList.tsx'
import { createTokenPages } from './tokens/tokenPage.tsx'

/** Creates everything outside the contract: pages, feeds, badges and documents for programs. */
export function createPages(deps: PageDeps): readonly Page[] {
  const draw = createDrawing()
  return [
    createHomePage(deps),
    createProfilePage(deps),
    ...createOwnerPages(deps),
    ...createCheckPages(deps),
    createMcpVerifyPage(deps),
    createIncidentPage(deps),
    createObservationPage(deps),
    createFindingsPage(deps),
    createTokenListPage(deps),
    ...createTokenPages(deps),
    ...createReportPages(deps, draw),
    createMethodologyPage(deps),
    createAboutPage(deps),
    createDocsPage(deps),
    ...createReferencePages(deps),
    ...createFeedPages(deps),
    createLogPage(deps),
    ...createLogRoutes(deps),
    createBadgePage(deps),
    ...createCardPages(deps, draw),
    ...createDocuments(deps),
    ...createAssetPages(),
    ...createRedirects(),
  ]
}
