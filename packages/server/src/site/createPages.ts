import type { Page } from '../http/deps.ts'
import { createAssetPages } from './assets.ts'
import { createBadgePage } from './badge/createBadgePage.ts'
import { createDashboardPage } from './dashboard/dashboardPage.tsx'
import { createDocsPages } from './docs/docsPages.tsx'
import { createFeedPages } from './feeds/createFeedPages.ts'
import { createListPages } from './lists/listPages.tsx'
import { createMachineDocuments } from './machineDocuments.ts'
import { createMethodologyPage } from './methodology/methodologyPage.tsx'
import type { PageDeps } from './pageDeps.ts'
import { createProfilePage } from './profile/profilePage.tsx'
import { createRecheckPage } from './recheck/createRecheckPage.ts'
import { createReportsPage } from './reports/reportsPage.tsx'

/** Creates everything outside the contract: pages, feeds, badges and documents for programs. */
export function createPages(deps: PageDeps): readonly Page[] {
  return [
    createDashboardPage(deps),
    createProfilePage(deps),
    ...(deps.recheck === undefined ? [] : [createRecheckPage(deps, deps.recheck)]),
    ...createListPages(deps),
    createReportsPage(deps),
    createMethodologyPage(deps),
    ...createDocsPages(deps),
    ...createFeedPages(deps),
    createBadgePage(deps),
    ...createMachineDocuments(deps),
    ...createAssetPages(),
  ]
}
