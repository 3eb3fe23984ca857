import { describeClaims } from './claimsContract.ts'
import { describeDocuments } from './describeDocuments.ts'
import { describeDue } from './describeDue.ts'
import { describeExpiring } from './describeExpiring.ts'
import { describeFacts } from './describeFacts.ts'
import { describeFeeds } from './describeFeeds.ts'
import { describeIndexes } from './describeIndexes.ts'
import { describeLog } from './describeLog.ts'
import { describeRetention } from './describeRetention.ts'
import type { Home } from './useStore.ts'

/** Abilities of a store under test. */
export type Ability = {
  /** Whether it keeps its records when closed. @default true */
  readonly persistent?: boolean
  /** Whether it drops old looks. @default true */
  readonly forgets?: boolean
}

/** Tests a store against the contract of all stores; each test gets an empty one. */
export function describeStore(
  name: string,
  createHome: () => Promise<Home>,
  { persistent = true, forgets = true }: Ability = {},
): void {
  describeFacts(name, createHome, persistent)
  describeFeeds(name, createHome)
  describeDocuments(name, createHome, persistent)
  describeIndexes(name, createHome)
  describeDue(name, createHome, persistent)
  describeLog(name, createHome, persistent)
  describeExpiring(name, createHome, persistent)
  if (forgets) describeRetention(name, createHome)
  const createClaimsHome = async () => {
    const home = await createHome()
    return { open: (now?: () => number) => home.open(now && { now }), remove: home.remove }
  }
  describeClaims(name, createClaimsHome, persistent)
}
