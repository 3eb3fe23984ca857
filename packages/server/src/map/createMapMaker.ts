import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isTemplate } from '@touchstone402/shared'
import {
  type MapBody,
  MapFormatError,
  type MapHeader,
  mapKeyName,
  readMapBody,
  readMapHeader,
  SLOT_MS,
  shapeMarker,
  toShape,
  writeMapHeader,
} from '@touchstone402/shared/map'
import { writeInSteps } from '@touchstone402/shared/map-write'
import { parseNote, signNote } from '@touchstone402/transparency'
import { recallEndpoint } from '../audit/recallEndpoint.ts'
import { HOUR, MINUTE } from '../facts/times.ts'
import type { CurrentKey } from '../keys/signer.ts'
import type { Clock } from '../lib/clock.ts'
import { createBreathe } from '../lib/createBreathe.ts'
import { LATEST, publishMapFiles, readMapFile } from '../store/documents.ts'
import { readSummary } from '../store/hosts.ts'
import { listHosts } from '../store/listHosts.ts'
import type { Store } from '../store/store.ts'
import type { Changed } from '../store/tx.ts'
import { isKeptBeside } from './keptFiles.ts'
import { createMapDraft, inSlices, type MapDraft, MOST_BACK } from './mapDraft.ts'
import { packDiff } from './model/packDiff.ts'
import { toMapEntry } from './model/toMapEntry.ts'

/** Log entry of a map version. */
export type MapLeaf = { readonly version: number; readonly sha256: string }

export type MapMakerDeps = {
  readonly store: Store
  readonly files: Store
  readonly signer: CurrentKey
  /** Public origin of the service. */
  readonly issuer: string
  readonly scoreVersion: string
  readonly clock: Clock
  /** Logs a version, once, and returns the proof (C2SP `tlog-proof`), if there is one. @default versions are not logged */
  readonly proveLeaf?: (leaf: MapLeaf) => Promise<string | undefined>
  readonly onError: (error: unknown) => void
}

/** Makes the map of a store. */
export type MapMaker = {
  /** Follows the store until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

const HEADER_LIFETIME_MS = 2 * HOUR
const SIGN_EVERY_MS = 10 * MINUTE
const VERSION_EVERY_MS = 15 * MINUTE

/** Creates the maker. Only one process of a service may run it. */
export function createMapMaker(deps: MapMakerDeps): MapMaker {
  return {
    async run(signal) {
      const draft = await openMapDraft(deps)
      try {
        await draft.scan(signal)
        while (!signal.aborted) {
          await draft.absorb(signal).catch(deps.onError)
          if (!signal.aborted) await draft.publish().catch(deps.onError)
          await deps.clock.sleep(draft.restMs(), signal).catch(() => {})
        }
      } finally {
        await draft.close()
      }
    },
  }
}

/** The steps of a maker, one by one. */
export type OpenMapDraft = Awaited<ReturnType<typeof openMapDraft>>

/** Continues the published map, if any, and follows the store. */
export async function openMapDraft(deps: MapMakerDeps) {
  const { store, files, clock } = deps
  const dirty = new Map<string, string>()
  let mustScan = false
  const onChange = (changed: Changed | null) => {
    if (changed === null) mustScan = true
    else dirty.set(changed.endpoint, changed.host)
  }
  const close = await store.watch(onChange)
  const stored = await readPublished(files)
  let last: MapHeader | null = stored?.header ?? null
  let step = 0
  const version = () => (last?.version ?? 0) + step
  const draft = await createMapDraft(version, stored?.body)
  step = last === null ? 1 : stepOver(last, clock.now())
  /** Diffs lead from this version on. */
  const first = stored?.body === undefined ? version() : stored.header.version
  let changedAt = Number.NEGATIVE_INFINITY
  let signedAt = Number.NEGATIVE_INFINITY
  let lastNow = Number.NEGATIVE_INFINITY

  /** Reads everything and signs again after the clock was set back, since what was made before is from the future. */
  const noteTime = (now: number) => {
    if (now < lastNow - MINUTE) {
      mustScan = true
      changedAt = Number.NEGATIVE_INFINITY
      signedAt = Number.NEGATIVE_INFINITY
    }
    lastNow = now
  }

  const absorbAll = async (endpoints: Iterable<readonly [string, string]>, signal?: AbortSignal) => {
    const hosts = new Set<string>()
    const breathe = createBreathe()
    for (const [endpoint, host] of endpoints) {
      if (signal?.aborted) return
      await breathe()
      if (isTemplate(endpoint)) hosts.add(host)
      else {
        const known = await recallEndpoint(store, endpoint, clock)
        draft.set(endpoint, known === undefined ? null : toMapEntry(known.state, clock.now()))
      }
      dirty.delete(endpoint)
      if (draft.isFull()) await draft.merge(clock.now())
    }
    for (const host of hosts) await absorbTemplates(deps, draft, host)
  }

  const sign = async ({ proof: _, ...unproven }: MapHeader, made: ReadonlyMap<string, Uint8Array>) => {
    const { version, sha256 } = unproven
    // Fetched for each header, since the cosignatures in a proof expire after two hours.
    const proof = await deps.proveLeaf?.({ version, sha256 })
    const header: MapHeader = { ...unproven, ...(proof !== undefined && { proof }) }
    const text = writeMapHeader(header)
    const latest = await signNote(text, [deps.signer.noteSigner(mapKeyName(header.issuer))])
    const isKept = (name: string) => isKeptBeside(header.version, name)
    await publishMapFiles(files, made, { latest, isKept })
    last = header
    signedAt = header.issuedAt
  }
  const times = (now: number) => ({ issuedAt: now, expiresAt: now + HEADER_LIFETIME_MS })

  return {
    close,
    header: () => last,
    /** Time until {@link publish} has something to do at the soonest, in ms; at least a minute. */
    restMs() {
      noteTime(clock.now())
      return Math.max(MINUTE, Math.min(changedAt + VERSION_EVERY_MS, signedAt + SIGN_EVERY_MS) - clock.now())
    },
    /** Applies changes since the last call. */
    async absorb(signal?: AbortSignal): Promise<void> {
      noteTime(clock.now())
      if (mustScan) await this.scan(signal)
      await absorbAll([...dirty], signal)
    },
    /** Reads every endpoint of the store. */
    async scan(signal?: AbortSignal): Promise<void> {
      mustScan = false
      for await (const host of listHosts(store, { order: 'names' }, clock.now())) {
        if (signal?.aborted) return
        const summary = await readSummary(store, host)
        await absorbAll(
          (summary?.endpoints ?? []).map(({ endpoint }) => [endpoint, host] as const),
          signal,
        )
      }
    },
    /** Publishes a new version where something changed and the last is old enough, or signs the last one again. */
    async publish(): Promise<void> {
      const now = clock.now()
      noteTime(now)
      if (now - changedAt >= VERSION_EVERY_MS) {
        await draft.merge(now)
        const made = await makeVersion(deps, draft, {
          version: version(),
          isForced: step > 1,
          last,
          first,
          now,
        })
        if (made !== null) {
          const { header, files: fresh } = made
          // The log may hold this number from now on, also if it is not published: no other body gets it.
          step += 1
          await sign(header, fresh)
          step = 1
          changedAt = now
          return
        }
      }
      if (last !== null && now - signedAt >= SIGN_EVERY_MS) await sign({ ...last, ...times(now) }, new Map())
    },
  }
}

/**
 * Returns the step to the next version: more than can have been published since a header was signed, as after an older
 * back-up was restored, by one at once and each 15 minutes, and as many starts. Guards refuse a version lower than one
 * they saw. It is a power of two, so that a diff leads over it.
 */
function stepOver({ issuedAt }: MapHeader, now: number): number {
  const missed = 2 * (1 + Math.max(0, Math.floor((now - issuedAt) / VERSION_EVERY_MS)))
  return 2 ** Math.ceil(Math.log2(missed + 1))
}

type VersionOptions = {
  readonly version: number
  /** Whether the version is made even if nothing has changed. */
  readonly isForced: boolean
  readonly last: MapHeader | null
  readonly first: number
  readonly now: number
}

/** Makes the files of a version; null if nothing has changed. */
async function makeVersion(deps: MapMakerDeps, draft: MapDraft, options: VersionOptions) {
  const { version, isForced, last, first, now } = options
  const baseSlot = Math.floor(now / SLOT_MS)
  const model = draft.model()
  const body = await inSlices(writeInSteps({ baseSlot, records: model.records, rows: draft.rows.rows }))
  const sha256 = await hash(body)
  if (sha256 === last?.sha256 && !isForced) return null
  const files = new Map([[`${version}`, body]])
  for (let back = 1; back <= MOST_BACK; back *= 2) {
    const from = version - back
    if (from < first || last === null) break
    files.set(`${from}-${version}`, packDiff(model, draft.rows, draft.removals(), { from, baseSlot }))
    await nextTurn()
  }
  const header: MapHeader = {
    issuer: deps.issuer,
    version,
    previous: last?.sha256 ?? null,
    issuedAt: now,
    expiresAt: now + HEADER_LIFETIME_MS,
    entries: model.entries,
    bytes: body.length,
    sha256,
    scoreVersion: deps.scoreVersion,
  }
  return { header, files }
}

async function hash(bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256')
  function* update(): Generator<void, void> {
    for (let at = 0; at < bytes.length; at += 1 << 20) {
      digest.update(bytes.subarray(at, at + (1 << 20)))
      yield
    }
  }
  await inSlices(update())
  return digest.digest('hex')
}

/** Sets the entries of a host's templates. Two templates of one shape are both unknown. */
async function absorbTemplates(
  { clock, store }: Pick<MapMakerDeps, 'clock' | 'store'>,
  draft: MapDraft,
  host: string,
): Promise<void> {
  const summary = await readSummary(store, host)
  const byShape = new Map<string, string[]>()
  for (const { endpoint } of summary?.endpoints ?? []) {
    if (isTemplate(endpoint))
      byShape.set(toShape(endpoint), [...(byShape.get(toShape(endpoint)) ?? []), endpoint])
  }
  for (const [shape, [endpoint = '', ...others]] of byShape) {
    const known = others.length > 0 ? undefined : await recallEndpoint(store, endpoint, clock)
    const entry = known === undefined ? null : toMapEntry(known.state, clock.now())
    draft.set(shape, entry)
    // Tells readers to try the shapes of the origin. It names no offer, and no endpoint has its key.
    if (entry !== null) draft.set(shapeMarker(shape), { ...entry, verdict: 'unknown', offers: [] })
  }
}

/** Reads the published map; undefined if there is none, and without its body if that is of another format. */
async function readPublished(files: Store) {
  const latest = await readMapFile(files, LATEST)
  if (latest === undefined) return undefined
  const header = readMapHeader(parseNote(latest).text)
  const bytes = await readMapFile(files, `${header.version}`)
  return { header, body: bytes && readIfKnown(bytes) }
}

function readIfKnown(bytes: Uint8Array): MapBody | undefined {
  try {
    return readMapBody(bytes)
  } catch (error) {
    if (error instanceof MapFormatError) return undefined
    throw error
  }
}
