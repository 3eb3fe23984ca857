import type { ScanResult } from './checks.ts'

const PREFIX = 'not tested: '
/** Reason of results that an earlier version stored without one. */
const UNSTATED = 'nothing to test came back'

/** Checks that were not made for one reason. */
export type Untested<Finding> = {
  /** A clause that follows "because". */
  readonly reason: string
  readonly checks: readonly Finding[]
}

/** Returns the detail of a check that was not made. @param reason a clause that follows "because" */
export const notTested = (reason: string): string => PREFIX + reason

/** Groups the checks that were not made by the reason, the largest group first. */
export function groupUntested<Finding extends Pick<ScanResult, 'outcome' | 'detail'>>(
  findings: readonly Finding[],
): Untested<Finding>[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (finding.outcome !== 'unknown') continue
    const reason = finding.detail.replace(PREFIX, '') || UNSTATED
    groups.set(reason, [...(groups.get(reason) ?? []), finding])
  }
  return [...groups]
    .map(([reason, checks]) => ({ reason, checks }))
    .sort((a, b) => b.checks.length - a.checks.length)
}

/** Describes a group in one line: `Not tested: 17, because no terms were read`. */
export const describeUntested = ({ reason, checks }: Untested<unknown>): string =>
  `Not tested: ${checks.length}, because ${reason}`

/** Counts what failed, in words: `Nothing to fix`, `2 things to fix`. */
export function describeFailed(findings: readonly Pick<ScanResult, 'outcome'>[]): string {
  const { length } = findings.filter(({ outcome }) => outcome === 'fail')
  return length === 0 ? 'Nothing to fix' : `${length} ${length === 1 ? 'thing' : 'things'} to fix`
}
