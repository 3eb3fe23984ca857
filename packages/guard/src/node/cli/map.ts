import { stat } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { MapError, type MapInfo } from '../../map/createMapClient.ts'
import type { VerdictState } from '../../types.ts'
import { readEndpoint } from './check.ts'
import { EXIT, type Io } from './io.ts'
import { mapPath, openMap } from './openMap.ts'
import { readServiceUrl } from './options.ts'
import { printVerdict } from './printVerdict.ts'

const OPTIONS = { json: { type: 'boolean' }, service: { type: 'string' }, file: { type: 'string' } } as const
const ADVICE = 'fetch one with map pull.'

/** `map pull`: fetches the newest map into the file. */
export async function pullMap(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const map = openMap(io, readServiceUrl(io, values.service), values.file)
  try {
    print(io, await map.refresh(), values.json)
    return EXIT.ok
  } finally {
    map.close()
  }
}

/** `map info`: describes the map of the file, without a request. */
export async function mapInfo(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS })
  const { map, fault } = await openOffline(io, values)
  const info = map.info()
  if (info !== null) print(io, info, values.json)
  else io.out(values.json ? 'null' : fault)
  return info === null ? EXIT.unknown : EXIT.ok
}

/** `map check <url>`: looks an endpoint up in the file, without a request. */
export async function checkMap(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const endpoint = readEndpoint('map check', positionals).key
  const { map, fault } = await openOffline(io, values)
  const state: VerdictState =
    map.info() === null ? { state: 'unavailable', detail: fault, lastSeen: null } : map.get(endpoint)
  const askForReasons = 'the command check does, without TOUCHSTONE_MODE=map'
  return printVerdict(io, endpoint, state, { json: values.json, askForReasons })
}

/** Opens the map of the file. `fault` says why it is not in use, if it is not. */
async function openOffline(io: Io, values: { service?: string | undefined; file?: string | undefined }) {
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

function print(io: Io, info: MapInfo, json: boolean | undefined): void {
  const { version, entries, bytes, issuedAt, expiresAt } = info
  const [from, until] = [new Date(issuedAt).toISOString(), new Date(expiresAt).toISOString()]
  if (json) io.out(JSON.stringify(info))
  else io.out(`Version ${version}: ${entries} entries, ${bytes} bytes, issued ${from}, in use until ${until}`)
}
