import { stat } from 'node:fs/promises'
import { MapError, type MapInfo } from '../../map/createMapClient.ts'
import type { VerdictState } from '../../types.ts'
import { printVerdict } from './check.ts'
import { EXIT, type Io, print, readEndpoint } from './io.ts'
import { mapPath, openMap, readServiceUrl } from './options.ts'

const ADVICE = 'fetch one with map pull.'

type MapGiven = {
  readonly file: string | undefined
  readonly service: string | undefined
  readonly json: boolean
}

/** `map pull`: fetches the newest map into the file. */
export async function pullMap(values: MapGiven, io: Io): Promise<number> {
  const map = openMap(io, readServiceUrl(io, values.service), values.file)
  try {
    const info = await map.refresh()
    return print(io, values, info, [describe(info)])
  } finally {
    map.close()
  }
}

/** `map info`: describes the map of the file, without a request. */
export async function mapInfo(values: MapGiven, io: Io): Promise<number> {
  const { map, fault } = await openOffline(io, values)
  const info = map.info()
  print(io, values, info, [info === null ? fault : describe(info)])
  return info === null ? EXIT.unknown : EXIT.ok
}

/** `map check <url>`: looks an endpoint up in the file, without a request. */
export async function checkMap(values: MapGiven & { readonly url: string }, io: Io): Promise<number> {
  const endpoint = readEndpoint(values.url).key
  const { map, fault } = await openOffline(io, values)
  const state: VerdictState =
    map.info() === null ? { state: 'unavailable', detail: fault, lastSeen: null } : map.get(endpoint)
  const askForReasons = 'the command check does, without TOUCHSTONE_MODE=map'
  return printVerdict(io, endpoint, state, { json: values.json, askForReasons })
}

/** Opens the map of the file. `fault` is the reason if it is not in use. */
async function openOffline(io: Io, values: MapGiven) {
  const errors: unknown[] = []
  const map = openMap(io, readServiceUrl(io, values.service), values.file, {
    fetch: () => Promise.reject(new Error('This command sends nothing.')),
    onError: (error) => errors.push(error),
  })
  await map.ready()
  map.close()
  return { map, fault: await describeFault(mapPath(io, values.file), errors) }
}

/** @param errors of opening the file, and of the refresh that this command does not allow */
async function describeFault(path: string, errors: readonly unknown[]): Promise<string> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (info instanceof Error && info.code === 'ENOENT') return `No map at ${path}: ${ADVICE}`
  const error = errors.find((one) => !(one instanceof MapError && one.code === 'UNREACHABLE'))
  if (error === undefined) return `${path} is not a map, or is damaged: ${ADVICE}`
  if (error instanceof MapError) return `The map at ${path} is refused: ${error.message}`
  return `The map at ${path} cannot be read.`
}

function describe({ version, entries, bytes, issuedAt, expiresAt }: MapInfo): string {
  const [from, until] = [new Date(issuedAt).toISOString(), new Date(expiresAt).toISOString()]
  return `Version ${version}: ${entries} entries, ${bytes} bytes, issued ${from}, in use until ${until}`
}
