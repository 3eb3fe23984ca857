import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadModel } from '../readModel/createReadModel.ts'

/** Shows what other processes have written. */
export type HostFollower = {
  /** Notes that a host's document was written, or with null that any of them may have been. Returns at once. */
  tell(host: string | null): void
  /** Ends it; what is under way is finished. */
  stop(): Promise<void>
}

/** A host that could not be read is tried again so soon. */
const RETRY_MS = 1000

/** Makes the follower. A host that is written many times while others are read is read once. */
export function createHostFollower(
  readModel: Pick<ReadModel, 'refresh'>,
  onError: (error: unknown) => void,
): HostFollower {
  const told = new Set<string | null>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  const followAll = async () => {
    for (const host of told) {
      if (stopping.signal.aborted) return
      // Before the read: what is written during it has to be read again.
      told.delete(host)
      try {
        await readModel.refresh(host)
      } catch (error) {
        onError(error)
        told.add(host)
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  return {
    tell(host) {
      told.add(host)
      running ??= followAll().finally(() => {
        running = undefined
      })
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
