import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMapClient } from '@touchstone402/guard/map'
import {
  clockAt,
  createDecisionSigner,
  createMemoryStore,
  openMapDraft,
  readMapFile,
} from '@touchstone402/server/testing'
import { canonicalizeUrl } from '@touchstone402/shared'
import { watchStalls } from '../../e2e/support/watchStalls.ts'
import { createGeneratedStore } from './store.ts'

const QUARTER = 15 * 60_000
/** Versions before the one that is measured, so that the expiries of entries have spread. */
const VERSIONS = 3
const LOOK_UPS = 50_000

/** Figures of a map of one size. */
export type MapFigures = {
  entries: number
  bodyMb: number
  /** Size of the diff to the next version. */
  diffKb: number
  /** Processor time of one more version, with the reads of what changed. */
  buildMs: number
  maxStallMs: number
  /** Time to verify and load the body, best of five. */
  loadMs: number
  /** Processor time of one look-up, hashing of the canonical URL included. No URL is asked twice in a round. */
  lookupUs: number
  /** The same for URLs that the map does not hold. */
  missUs: number
}

/** Makes maps of generated verdicts with the service's own maker, and loads them with the guard's own client. */
export async function measureMap(entries: number): Promise<MapFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-map-'))
  try {
    let now = Date.now() - VERSIONS * QUARTER
    const store = createGeneratedStore(entries, () => now)
    const signer = await createDecisionSigner({ directory })
    const files = createMemoryStore()
    const issuer = 'https://touchstone.example'
    const clock = clockAt(() => now)
    const onError = (error: unknown) => {
      throw error
    }
    const maker = await openMapDraft({ store, files, signer, issuer, scoreVersion: '1.2.0', clock, onError })
    await maker.scan()
    await maker.publish()
    let buildMs = 0
    let maxStallMs = 0
    for (let version = 0; version < VERSIONS; version++) {
      now += QUARTER
      store.crawl(QUARTER)
      const stalls = watchStalls()
      const used = process.cpuUsage()
      await maker.absorb()
      await maker.publish()
      const { user, system } = process.cpuUsage(used)
      buildMs = (user + system) / 1000
      maxStallMs = stalls().maxMs
    }
    const latest = maker.header()
    if (latest?.version !== VERSIONS + 1) throw new Error('no new version was published')
    const read = async (name: string) => new Uint8Array((await readMapFile(files, name)) ?? [])
    const diff = await read(`${VERSIONS}-${VERSIONS + 1}`)

    const open = async () => {
      const body = await read(`${latest.version}`)
      const answers = new Map<string, BodyInit>([
        ['/map/latest', await read('latest')],
        [`/map/${latest.version}`, body],
        ['/.well-known/jwks.json', JSON.stringify(signer.jwks())],
      ])
      const fetch = async (url: string | URL | Request) =>
        new Response(answers.get(new URL(String(url)).pathname) ?? null)
      const map = createMapClient({ url: issuer, fetch })
      const startedAt = performance.now()
      await map.ready()
      const loadMs = performance.now() - startedAt
      map.close()
      if (map.info()?.version !== latest.version) throw new Error('the map was not loaded')
      return { map, loadMs }
    }
    const loads: number[] = []
    for (let round = 0; round < 4; round++) loads.push((await open()).loadMs)
    const { map, loadMs } = await open()
    // The guard has the canonical URL already, since it judges by it.
    const urls = Array.from(
      { length: LOOK_UPS },
      (_, place) => canonicalizeUrl(store.urlOf((place * 97) % entries)).key,
    )
    let safe = 0
    const lookUp = (asked: readonly string[]) => {
      const used = process.cpuUsage()
      for (const url of asked) {
        const found = map.get(url)
        if (found.state === 'signed' && found.verdict.verdict !== 'unknown') safe++
      }
      const { user, system } = process.cpuUsage(used)
      return (user + system) / asked.length
    }
    lookUp(urls.slice(0, LOOK_UPS / 10))
    const lookupUs = Math.min(lookUp(urls), lookUp(urls), lookUp(urls))
    if (safe < LOOK_UPS) throw new Error('the map does not hold its endpoints')
    const others = urls.map((url) => `${url}/other`)
    const missUs = Math.min(lookUp(others), lookUp(others), lookUp(others))
    return {
      entries: latest.entries,
      bodyMb: latest.bytes / 1e6,
      diffKb: diff.length / 1000,
      buildMs,
      maxStallMs,
      loadMs: Math.min(loadMs, ...loads),
      lookupUs,
      missUs,
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
