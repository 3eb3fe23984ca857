import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadModel } from '../readModel/createReadModel.ts'

/** Refreshes hosts that other processes wrote. */
export type HostFollower = {
  /** Queues a refresh of a host; null refreshes all hosts. Returns at once. */
  tell(host: string | null): void
  /** Stops after the current refresh. */
  stop(): Promise<void>
}

/** Retry delay after a failed refresh. */
const RETRY_MS = 1000

/** Creates the follower. Queued refreshes of one host are merged. */
export function createHostFollower(
  readModel: Pick<ReadModel, 'refresh'>,
  onError: (error: unknown) => void,
): HostFollower {
  const queued = new Set<string | null>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  const followAll = async () => {
    for (const host of queued) {
      if (stopping.signal.aborted) return
      // Delete before the read: a write during the read needs another refresh.
      queued.delete(host)
      try {
        await readModel.refresh(host)
      } catch (error) {
        onError(error)
        queued.add(host)
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  return {
    tell(host) {
      queued.add(host)
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
