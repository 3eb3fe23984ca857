import type { Time } from '../facts/facts.ts'
import type { McpAudit, McpDrift, PackageFacts, RepositoryStatus } from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'

/** How long a change counts, in milliseconds. */
export const DRIFT_MEMORY_MS = 30 * DAY

/**
 * Lists the changes since the previous audit, and its own ones of the last 30 days.
 * A package that could not be measured, then or now, shows no change.
 */
export function findDrift(
  before: McpAudit | undefined,
  packages: readonly PackageFacts[],
  repositoryStatus: RepositoryStatus,
  now: Time,
): McpDrift[] {
  if (before === undefined) return []
  const fresh = packages.flatMap((facts) => {
    const known = before.lastFound.find(({ name }) => name === facts.name)
    return known === undefined ? [] : comparePackage(known, facts, now)
  })
  const [first] = packages
  if (first !== undefined && before.repositoryStatus === 'present' && repositoryStatus === 'gone') {
    const gone = { code: 'repository_gone', package: first.name, at: now } as const
    fresh.push({ ...gone, before: before.repository ?? '', after: '' })
  }
  const kept = before.drift.filter((old) => old.at > now - DRIFT_MEMORY_MS && !isUndone(old, packages))
  const isKnown = (one: McpDrift) =>
    kept.some(
      ({ code, package: name, after }) => code === one.code && name === one.package && after === one.after,
    )
  return [...fresh.filter((one) => !isKnown(one)), ...kept]
}

function comparePackage(before: PackageFacts, after: PackageFacts, at: Time): McpDrift[] {
  if (before.outcome !== 'found') return []
  const base = { package: after.name, at }
  if (after.outcome === 'absent' || after.outcome === 'unpublished') {
    return [{ ...base, code: 'unpublished', before: before.version ?? '', after: '' }]
  }
  if (after.outcome !== 'found') return []
  const found: McpDrift[] = []
  const added = after.installScripts.filter((script) => !before.installScripts.includes(script))
  if (added.length > 0) {
    const [was, is] = [before.installScripts.join(' '), after.installScripts.join(' ')]
    found.push({ ...base, code: 'script_added', before: was, after: is })
  }
  const [were, are] = [before.maintainers, after.maintainers]
  if (were !== null && are !== null && were.join(' ') !== are.join(' ')) {
    const isShared = are.some((name) => were.includes(name))
    const code = isShared ? 'owners_changed' : 'owners_replaced'
    found.push({ ...base, code, before: were.join(' '), after: are.join(' ') })
  }
  if (before.repository !== null && after.repository === null) {
    found.push({ ...base, code: 'repository_gone', before: before.repository, after: '' })
  }
  const isSameVersion = before.version !== null && before.version === after.version
  const [old, current] = [before.integrity, after.integrity]
  if (isSameVersion && old !== null && current !== null && old !== current) {
    found.push({ ...base, code: 'archive_changed', before: old, after: current })
  }
  return found
}

/** Whether a package was republished, or its added install scripts were removed again. */
function isUndone(old: McpDrift, packages: readonly PackageFacts[]): boolean {
  const facts = packages.find(({ name }) => name === old.package)
  if (facts?.outcome !== 'found') return false
  if (old.code === 'unpublished') return true
  if (old.code !== 'script_added') return false
  const was = old.before.split(' ')
  return facts.installScripts.every((script) => was.includes(script))
}
