import { type FetchLike, isGuardError, type SigningAccount } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { createMapClient } from '@touchstone402/guard/map'
import { createMapFile } from '@touchstone402/guard/map-file'

export type OfflineOptions = {
  touchstoneUrl: string
  endpointUrl: string
  account: SigningAccount
  /** File that keeps the map. */
  mapFile: string
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
  /** Unix time in ms. @default Date.now */
  now?: () => number
}

export type OfflineResult = {
  paid: boolean
  /** Status and body, or the reason of the refusal. */
  message: string
  /** Number of verdicts on this machine. */
  entries: number
  /** Requests to the service after the connection was cut. */
  askedAfterCut: number
}

/** Fetches the map, cuts the connection to the service, and pays one endpoint. */
export async function run(options: OfflineOptions): Promise<OfflineResult> {
  const { touchstoneUrl: url, endpointUrl, account, fetch = globalThis.fetch, now = Date.now } = options
  let isCut = false
  let askedAfterCut = 0
  const toService: FetchLike = (input, init) => {
    if (!isCut) return fetch(input, init)
    askedAfterCut += 1
    return Promise.reject(new TypeError('The service is out of reach.'))
  }
  const map = createMapClient({ url, fetch: toService, storage: createMapFile(options.mapFile), now })
  const { entries } = await map.refresh()
  isCut = true

  const pay = createGuardedFetch({
    account,
    service: { url, mode: 'map', map, fetch: toService },
    fetch,
  })
  try {
    const response = await pay(endpointUrl)
    return {
      paid: response.ok,
      message: `${response.status} ${await response.text()}`,
      entries,
      askedAfterCut,
    }
  } catch (error) {
    if (!isGuardError(error)) throw error
    return { paid: false, message: `${error.code}: ${error.message}`, entries, askedAfterCut }
  } finally {
    map.close()
  }
}
