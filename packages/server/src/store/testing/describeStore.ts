import { describeClaims } from './claimsContract.ts'
import { describeDocuments } from './describeDocuments.ts'
import { describeDue } from './describeDue.ts'
import { describeExpiring } from './describeExpiring.ts'
import { describeFacts } from './describeFacts.ts'
import { describeFeeds } from './describeFeeds.ts'
import { describeIndexes } from './describeIndexes.ts'
import { describeLog } from './describeLog.ts'
import { describeMapFiles } from './describeMapFiles.ts'
import { describeRetention } from './describeRetention.ts'
import { describeStanding } from './describeStanding.ts'
import type { Home } from './useStore.ts'

/** Tests an engine against the contract of both; each test gets an empty store. */
export function describeStore(name: string, createHome: () => Promise<Home>): void {
  describeFacts(name, createHome)
  describeFeeds(name, createHome)
  describeDocuments(name, createHome)
  describeIndexes(name, createHome)
  describeDue(name, createHome)
  describeLog(name, createHome)
  describeExpiring(name, createHome)
  describeRetention(name, createHome)
  describeStanding(name, createHome)
  describeMapFiles(name, createHome)
  describeClaims(name, createHome)
}
