import { isSecureUrl } from '@touchstone402/shared'
import type { MapHeader } from '@touchstone402/shared/map'
import { lazy } from '../lazy.ts'
import { lookUp } from './lookUp.ts'
import { MapError, type MapErrorCode } from './mapError.ts'
import { createMapKeys } from './mapKeys.ts'
import { createMapSource } from './mapSource.ts'
import { checkHeader, fetchBody, type LoadedMap, openBody, openHeader } from './mapState.ts'
import type { MapClient, MapClientOptions, MapInfo } from './mapTypes.ts'

export { MapError, type MapErrorCode } from './mapError.ts'
export type { MapClient, MapClientOptions, MapInfo, MapLeaf, MapStorage, StoredMap } from './mapTypes.ts'

const DEFAULT_REFRESH_SECONDS = 300
const MAX_BYTES = 256 * 1024 * 1024
const FIRST_RETRY_MS = 15_000

/**
 * Creates a client of the map: every verdict of a service on this machine, so that no request names an endpoint and an
 * outage of the service stops no payment. It refuses maps that are older than one it saw, expired, cut or changed, and keeps
 * the last good one.
 * @throws MapError `OPTIONS_INVALID`
 * @example
 * const map = createMapClient({ url: 'https://touchstone.example', jwksThumbprint: 'nCBu5B4cz7xHYnFyIWMF4BGDVnXyZlRfGhBVZAVBrdU' })
 * await map.ready()
 * console.log(map.get('https://api.example.com/weather'))
 */
export function createMapClient(options: MapClientOptions): MapClient {
  const { url, storage, verifyProof, now = Date.now, maxBytes = MAX_BYTES } = checkOptions(options)
  const { onError = () => {}, fetch = globalThis.fetch, timeoutMs = 10_000, jwksThumbprint } = options
  const refreshMs = (options.refreshSeconds ?? DEFAULT_REFRESH_SECONDS) * 1000
  const serviceUrl = url.replace(/\/+$/, '')
  const issuer = options.issuer ?? new URL(url).origin
  const mapUrl = (options.mapUrl ?? `${serviceUrl}/map`).replace(/\/+$/, '')
  const source = createMapSource({ serviceUrl, mapUrl, fetch, timeoutMs })
  const thumbprints = typeof jwksThumbprint === 'string' ? [jwksThumbprint] : jwksThumbprint
  const keys = createMapKeys({ issuer, thumbprints, loadJwks: source.jwks, now })

  let current: LoadedMap | null = null
  let newest: MapHeader | null = null
  let lastError: MapErrorCode | null = null
  /** The last fault as a sentence. */
  let fault = ''
  let failures = 0
  let dueAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  let refreshing: Promise<MapInfo> | undefined

  const describe = ({ header }: LoadedMap): MapInfo => {
    const { issuer: _, previous: __, proof: ___, ...info } = header
    return { ...info, lastError }
  }

  const restore = async (): Promise<void> => {
    const stored = await storage?.load()
    if (stored == null) return
    await keys.restore(stored.keys)
    const header = openHeader(await keys.openStored(stored.note), issuer)
    // An expired map decides nothing any more, but nothing older may take its place.
    newest = header
    current = { header, note: stored.note, body: await openBody(stored.body, header) }
  }

  const load = async (): Promise<LoadedMap> => {
    const note = await source.header()
    const header = openHeader(await keys.open(note), issuer)
    checkHeader(header, { last: newest, maxBytes, now: now() })
    if (verifyProof !== undefined) {
      const isLogged = await verifyProof(header.proof, { version: header.version, sha256: header.sha256 })
      if (!isLogged) throw new MapError('NOT_LOGGED')
    }
    const isSame = current?.header.version === header.version
    const body = current !== null && isSame ? current.body : await fetchBody(source, header, current)
    // In use only once it is durable: nothing older is accepted after a restart either.
    await storage?.save({ note, body: body.bytes as Uint8Array<ArrayBuffer>, keys: keys.known() })
    current = { header, note, body }
    newest = header
    return current
  }

  const plan = () => {
    const retryMs = Math.min(refreshMs, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10))
    const delayMs = (failures === 0 ? refreshMs : retryMs) * (0.8 + 0.4 * Math.random())
    dueAt = now() + delayMs
    clearTimeout(timer)
    if (isClosed) return
    timer = setTimeout(refreshQuietly, delayMs)
    // Only Node keeps a process alive for its timers.
    ;(timer as { unref?: () => void }).unref?.()
  }

  const attempt = async (): Promise<MapInfo> => {
    try {
      const map = await load()
      failures = 0
      lastError = null
      return describe(map)
    } catch (error) {
      failures += 1
      lastError = error instanceof MapError ? error.code : 'UNREACHABLE'
      fault = sayFault(error)
      throw error
    } finally {
      refreshing = undefined
      plan()
    }
  }
  const refresh = (): Promise<MapInfo> => {
    refreshing ??= attempt()
    return refreshing
  }
  const refreshQuietly = () => refresh().catch(onError)

  const ready = lazy(async () => {
    await restore().catch((error) => {
      current = null
      fault = sayFault(error)
      onError(error)
    })
    const isUsable = current !== null && current.header.expiresAt > now()
    // The paying path waits for the first map only.
    const first = refreshQuietly()
    if (!isUsable) await first
  })

  return {
    url: serviceUrl,
    get(endpoint) {
      // Some runtimes run no timers between requests.
      if (now() >= dueAt && refreshing === undefined && !isClosed) void refreshQuietly()
      if (current !== null) return lookUp(current, endpoint, now())
      return { state: 'unavailable', detail: `No map has been loaded.${fault}`, lastSeen: null }
    },
    ready,
    refresh: () => ready().then(refresh),
    info: () => (current === null ? null : describe(current)),
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

// Storage and proofs are the caller's code, whose errors may hold anything.
const sayFault = (error: unknown): string =>
  ` ${error instanceof MapError ? error.message : 'Its storage or proof check failed.'}`

function checkOptions(options: MapClientOptions): MapClientOptions {
  const wrong = (details: string) => new MapError('OPTIONS_INVALID', { details })
  const { url, mapUrl = url, jwksThumbprint = [], storage } = options
  const { refreshSeconds = DEFAULT_REFRESH_SECONDS } = options
  for (const [name, given] of Object.entries({ url, mapUrl })) {
    if (!isSecureUrl(given)) throw wrong(`${name}: expected an https URL, or an http URL on this machine.`)
  }
  if (!(refreshSeconds >= 10 && refreshSeconds <= 3600)) {
    throw wrong(`refreshSeconds: expected 10 to 3600, not ${refreshSeconds}.`)
  }
  if (![jwksThumbprint].flat().every((one) => /^[\w-]{43}$/.test(one))) {
    throw wrong('jwksThumbprint: expected 43 characters.')
  }
  // Callers in JavaScript give a path.
  if (storage !== undefined && !('load' in Object(storage) && 'save' in Object(storage))) {
    throw wrong('storage: expected createMapFile(path).')
  }
  return options
}
