import type { Context } from '../context.ts'
import type { Time } from '../facts/facts.ts'
import type { McpAudit } from '../facts/mcpFacts.ts'
import { DAY } from '../facts/times.ts'
import type { Prober } from '../lib/prober.ts'
import { readAudit, readDocument } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { auditMcpServer, checkRepository, repositoryOf } from './audit.ts'
import { type PackageRegistry, readPackage } from './readPackage.ts'

/** An audit of one package, and the Unix time in ms up to which it is kept. */
export type KeptAudit = { readonly audit: McpAudit; readonly expiresAt: Time }

/**
 * Audits an npm package now and keeps the audit for a day. Equal calls that overlap share one audit.
 * @returns `absent` if the registry has no such package, `unreachable` if it does not answer, `busy` at the maximum
 * number of audits at a time
 */
export type McpVerifier = (name: string) => Promise<KeptAudit | 'absent' | 'unreachable' | 'busy'>

type Reading = Pick<Context, 'store' | 'clock'>

/** Sources of audits of single packages. */
type VerifierSources = {
  /** Returns the registry, which may take a while to be found. */
  readonly registry: () => Promise<PackageRegistry>
  readonly prober: Pick<Prober, 'probe'>
}

const KIND = 'mcp-verify'
/** Named as the directory of audits that no directory lists. */
const DIRECTORY = 'npm'
/** Maximum number of audits at a time, since each may hold a document of several megabytes. */
const MAX_RUNNING = 4
/** Limit of the reading of the source repository, in ms. */
const REPOSITORY_MS = 3_000

/** Returns the audit of a package of the last 24 hours, if any. */
export async function readKeptAudit({ store, clock }: Reading, name: string): Promise<KeptAudit | undefined> {
  const document = await readDocument(store, KIND, name, clock.now())
  if (document !== undefined) return { audit: document.data as McpAudit, expiresAt: document.expiresAt }
  const daily = await readDaily(store, name)
  const expiresAt = (daily?.auditedAt ?? 0) + DAY
  return daily !== undefined && clock.now() < expiresAt ? { audit: daily, expiresAt } : undefined
}

/** Creates the audits of single packages. Kept apart from the daily ones, so that strangers cannot add to sold data. */
export function createMcpVerifier(ctx: Reading, sources: VerifierSources): McpVerifier {
  const { store, clock } = ctx
  const running = new Map<string, ReturnType<McpVerifier>>()
  const auditNow = async (name: string) => {
    const made = await makeAudit(ctx, sources, name)
    if (typeof made === 'string') return made
    const now = clock.now()
    const expiresAt = now + DAY
    await store.write('putDocument', { kind: KIND, id: name, expiresAt, data: made }, now)
    return { audit: made, expiresAt }
  }
  return async (name) => {
    const known = running.get(name)
    if (known !== undefined) return known
    if (running.size >= MAX_RUNNING) return 'busy'
    const made = auditNow(name).finally(() => running.delete(name))
    running.set(name, made)
    return made
  }
}

/** Returns the daily audit of a server that is this one package and nothing else; it knows what changed before. */
async function readDaily(store: Store, name: string): Promise<McpAudit | undefined> {
  const daily = await readAudit(store, name)
  const isSame = daily?.packages.length === 1 && daily.packages[0]?.name === name
  return isSame ? daily : undefined
}

async function makeAudit(
  { store, clock }: Reading,
  { registry, prober }: VerifierSources,
  name: string,
): Promise<McpAudit | 'absent' | 'unreachable'> {
  const facts = await readPackage(await registry(), name, null)
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
  const repositoryStatus = await checkRepository(prober, repositoryOf(listing, packages), signal).catch(
    () => 'unknown' as const,
  )
  const before = await readDaily(store, name)
  return auditMcpServer({ listing, packages, repositoryStatus, before, now: clock.now() })
}
