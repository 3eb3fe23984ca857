import { homedir } from 'node:os'
import { join } from 'node:path'
import { createMapClient, type MapClient } from '../../map/createMapClient.ts'
import type { FetchLike } from '../../types.ts'
import { createMapFile } from '../mapFile.ts'
import type { Io } from './io.ts'

/** Opens the map of the environment. @param fetch sends its requests */
export function openMap(
  io: Io,
  url: string,
  file = io.env.TOUCHSTONE_MAP,
  fetch: FetchLike = io.fetch,
): MapClient {
  const jwksThumbprint = io.env.TOUCHSTONE_JWKS_THUMBPRINT
  const storage = createMapFile(file ?? join(io.env.HOME ?? homedir(), '.touchstone', 'map'))
  return createMapClient({ url, fetch, storage, ...(jwksThumbprint === undefined ? {} : { jwksThumbprint }) })
}
