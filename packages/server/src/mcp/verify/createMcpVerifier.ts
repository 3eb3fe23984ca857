import type { Time } from '../../facts/facts.ts'
import type { McpAudit } from '../../facts/mcpFacts.ts'
import { DAY } from '../../facts/times.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Prober } from '../../probe/prober.ts'
import { readAudit, readDocument } from '../../store/documents.ts'
import type { Store } from '../../store/store.ts'
import { auditMcpServer, checkRepository, repositoryOf } from '../audit.ts'
import type { PackageSource } from '../createPackageSource.ts'

export type McpVerifierDeps = {
  readonly packages: PackageSource
  readonly prober: Pick<Prober, 'probe'>
  readonly documents: Store
  /** Daily audits, which know what changed before. */
  readonly audits: Store
  readonly clock: Pick<Clock, 'now'>
}

/** An audit of one package, and the Unix time in ms up to which it is kept. */
export type KeptAudit = { readonly audit: McpAudit; readonly expiresAt: Time }

/** Public audits of single npm packages. */
export type McpVerifier = {
  /** Returns the audit of the last 24 hours, if any. */
  read(name: string): Promise<KeptAudit | undefined>
  /**
   * Audits a package now and keeps the audit for a day. Equal calls that overlap share one audit.
   * @returns `absent` if the registry has no such package, `unreachable` if it does not answer, `busy` at the maximum
   * number of audits at a time
   */
  audit(name: string): Promise<KeptAudit | 'absent' | 'unreachable' | 'busy'>
}

const KIND = 'mcp-verify'
/** Named as the directory of audits that no directory lists. */
const DIRECTORY = 'npm'
/** Maximum number of audits at a time, since each may hold a document of several megabytes. */
const MAX_RUNNING = 4
/** Limit of the reading of the source repository, in ms. */
const REPOSITORY_MS = 3_000

/** Creates the audits of single packages. Kept apart from the daily ones, so that strangers cannot add to sold data. */
export function createMcpVerifier(deps: McpVerifierDeps): McpVerifier {
  const { documents, clock } = deps
  const running = new Map<string, ReturnType<McpVerifier['audit']>>()
  const auditNow = async (name: string) => {
    const made = await makeAudit(deps, name)
    if (typeof made === 'string') return made
    const now = clock.now()
    const expiresAt = now + DAY
    await documents.write('putDocument', { kind: KIND, id: name, expiresAt, data: made }, now)
    return { audit: made, expiresAt }
  }
  return {
    async read(name) {
      const document = await readDocument(documents, KIND, name, clock.now())
      if (document !== undefined) return { audit: document.data as McpAudit, expiresAt: document.expiresAt }
      const daily = await readDaily(deps, name)
      const expiresAt = (daily?.auditedAt ?? 0) + DAY
      return daily !== undefined && clock.now() < expiresAt ? { audit: daily, expiresAt } : undefined
    },
    async audit(name) {
      const known = running.get(name)
      if (known !== undefined) return known
      if (running.size >= MAX_RUNNING) return 'busy'
      const made = auditNow(name).finally(() => running.delete(name))
      running.set(name, made)
      return made
    },
  }
}

/** Returns the daily audit of a server that is this one package and nothing else. */
async function readDaily({ audits }: McpVerifierDeps, name: string): Promise<McpAudit | undefined> {
  const daily = await readAudit(audits, name)
  const isSame = daily?.packages.length === 1 && daily.packages[0]?.name === name
  return isSame ? daily : undefined
}

async function makeAudit(deps: McpVerifierDeps, name: string): Promise<McpAudit | 'absent' | 'unreachable'> {
  const facts = await deps.packages.read(name, null)
  if (facts.outcome === 'absent') return 'absent'
  if (facts.outcome === 'not_measured') return 'unreachable'
  const listing = {
    directory: DIRECTORY,
    name,
    title: null,
    version: facts.version,
    status: 'active' as const,
    repository: null,
    packages: [{ name, version: null }],
    hasOther: false,
  }
  const packages = [facts]
  const signal = AbortSignal.timeout(REPOSITORY_MS)
  // A slow repository is no evidence about the package.
  const repositoryStatus = await checkRepository(deps.prober, repositoryOf(listing, packages), signal).catch(
    () => 'unknown' as const,
  )
  const before = await readDaily(deps, name)
  return auditMcpServer({ listing, packages, repositoryStatus, before, now: deps.clock.now() })
}
