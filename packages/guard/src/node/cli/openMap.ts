import { homedir } from 'node:os'
import { join } from 'node:path'
import { createMapClient, type MapClient, type MapClientOptions } from '../../map/createMapClient.ts'
import { createMapFile } from '../mapFile.ts'
import type { Io } from './io.ts'

/** Returns the path of the map: the one given, that of TOUCHSTONE_MAP, or `.touchstone/map` in the home directory. */
export function mapPath(io: Io, given: string | undefined): string {
  return given ?? io.env.TOUCHSTONE_MAP ?? join(io.env.HOME ?? homedir(), '.touchstone', 'map')
}

/** Opens the map of the environment. */
export function openMap(
  io: Io,
  url: string,
  file?: string,
  options: Pick<MapClientOptions, 'fetch' | 'onError'> = {},
): MapClient {
  const jwksThumbprint = io.env.TOUCHSTONE_JWKS_THUMBPRINT
  const storage = createMapFile(mapPath(io, file))
  return createMapClient({
    ...{ url, storage, fetch: io.fetch, ...options },
    ...(jwksThumbprint === undefined ? {} : { jwksThumbprint }),
  })
}
