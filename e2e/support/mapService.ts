import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  aState,
  clockAt,
  createDecisionSigner,
  createMemoryStore,
  type EndpointState,
  openMapDraft,
  readMapFile,
  type Store,
} from '@touchstone402/server/testing'
import { type LocalServer, serve } from './serve.ts'

/** Bytes or text to answer with, in place of a file. */
export type MapFault = (
  name: string,
  good: Uint8Array | undefined,
) => Uint8Array | string | number | undefined

/** A service that makes and serves a real map, records what is asked, and can misbehave. */
export type MapService = LocalServer & {
  /** RFC 7638 thumbprint of its key. */
  readonly thumbprint: string
  readonly signer: Awaited<ReturnType<typeof createDecisionSigner>>
  readonly files: Store
  /** Path and query of every request. */
  readonly requested: string[]
  /** Replaces files of the map: a number is a status, undefined the file itself. Null for none. */
  fault: MapFault | null
  /** Whether it refuses connections. */
  isDown: boolean
  /** Judges an endpoint safe, with the given changes. */
  put(endpoint: string, changes?: Partial<EndpointState>): Promise<void>
  /** Publishes what was put, dated 15 minutes after the last version. */
  publish(): Promise<void>
}

/** Starts a service without endpoints. @param store whose verdicts are published. @default an empty one in memory */
export async function startMapService(store: Store = createMemoryStore()): Promise<MapService> {
  const directory = await mkdtemp(join(tmpdir(), 'map-service-'))
  const signer = await createDecisionSigner({ directory })
  const files = store
  const requested: string[] = []
  const server = await serve(async (request, response) => {
    const path = request.url ?? '/'
    if (service.isDown) return response.destroy()
    requested.push(path)
    if (path === '/.well-known/jwks.json') return response.end(JSON.stringify(signer.jwks()))
    const name = /^\/map\/([\d-]+|latest)$/.exec(path)?.[1]
    const good = name === undefined ? undefined : await readMapFile(files, name)
    const answer = (name !== undefined && service.fault?.(name, good)) || (good ?? 404)
    if (typeof answer === 'number') return response.writeHead(answer, { location: '/elsewhere' }).end('{}')
    response.end(answer)
  })
  let now = Date.now() - 60 * 60_000
  const maker = await openMapDraft({
    store,
    files,
    signer,
    issuer: server.url,
    scoreVersion: '1.2.0',
    clock: clockAt(() => now),
    onError: (error) => {
      throw error
    },
  })
  const service: MapService = {
    ...server,
    thumbprint: String(signer.jwks().keys[0]?.kid),
    signer,
    files,
    requested,
    fault: null,
    isDown: false,
    // By the maker's clock: it leaves out what was judged in its future.
    async put(endpoint, changes = {}) {
      await store.write('putEndpoint', aState({ endpoint, derivedAt: now, ...changes }))
    },
    async publish() {
      // Four versions end at the time of today.
      now += 15 * 60_000
      await maker.absorb()
      await maker.publish()
    },
    async stop() {
      await maker.close()
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
  return service
}
