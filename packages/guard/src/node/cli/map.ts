import { parseArgs } from 'node:util'
import { VERDICT_LABELS } from '@touchstone402/shared'
import type { MapInfo } from '../../map/createMapClient.ts'
import type { FetchLike } from '../../types.ts'
import { readEndpoint } from './check.ts'
import { EXIT, type Io } from './io.ts'
import { openMap } from './openMap.ts'
import { readServiceUrl } from './options.ts'

const OPTIONS = { json: { type: 'boolean' }, service: { type: 'string' }, file: { type: 'string' } } as const

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
  const map = await openOffline(io, values)
  const info = map.info()
  if (info !== null) print(io, info, values.json)
  else io.out(values.json ? 'null' : 'No map: fetch one with map pull.')
  return info === null ? EXIT.unknown : EXIT.ok
}

/** `map check <url>`: looks an endpoint up in the file, without a request. */
export async function checkMap(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const endpoint = readEndpoint('map check', positionals).key
  const state = (await openOffline(io, values)).get(endpoint)
  if (state.state === 'unavailable') {
    io.out(values.json ? JSON.stringify({ endpoint, ...state }) : `Unavailable: ${state.detail}`)
    return EXIT.unknown
  }
  const { verdict, expiresAt } = state.verdict
  io.out(
    values.json ? JSON.stringify({ endpoint, ...state }) : `${VERDICT_LABELS[verdict]}, until ${expiresAt}`,
  )
  return { safe: EXIT.ok, caution: EXIT.caution, avoid: EXIT.avoid, unknown: EXIT.unknown }[verdict]
}

async function openOffline(io: Io, values: { service?: string | undefined; file?: string | undefined }) {
  const offline: FetchLike = () => Promise.reject(new Error('This command sends nothing.'))
  const map = openMap(io, readServiceUrl(io, values.service), values.file, offline)
  await map.ready()
  map.close()
  return map
}

function print(io: Io, info: MapInfo, json: boolean | undefined): void {
  const { version, entries, bytes, issuedAt, expiresAt } = info
  const [from, until] = [new Date(issuedAt).toISOString(), new Date(expiresAt).toISOString()]
  if (json) io.out(JSON.stringify(info))
  else io.out(`Version ${version}: ${entries} entries, ${bytes} bytes, issued ${from}, in use until ${until}`)
}
