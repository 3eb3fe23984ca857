import { SCORE_VERSION } from '../domain/judge/spec.ts'
import { mapLeaf } from '../domain/publish/leaves.ts'
import { createMapMaker } from '../map/createMapMaker.ts'
import type { OpenLog } from './openLog.ts'
import { openSigner } from './openSigner.ts'
import type { Scope } from './scope.ts'
import type { WorkDeps } from './workDeps.ts'

/**
 * Starts making the map. Returns a function that waits for its end, which the signal brings.
 * @param log where versions are logged first, if it could be opened
 * @throws Error if the signing key is unusable
 */
export async function startMap(
  scope: Scope,
  { storage }: WorkDeps,
  log: OpenLog | undefined,
  signal: AbortSignal,
) {
  const { config, clock, warn } = scope
  const maker = createMapMaker({
    store: storage.store,
    files: storage.mapFiles,
    signer: await openSigner(config),
    issuer: config.publicUrl,
    scoreVersion: SCORE_VERSION,
    clock,
    ...(log && {
      proveLeaf: ({ version, sha256 }) =>
        log.prove(mapLeaf(version, sha256, clock.now())).catch((error: unknown) => {
          warn('log')(error)
          return undefined
        }),
    }),
    onError: warn('map'),
  })
  const running = maker.run(signal).catch(warn('map ended'))
  return () => running
}
