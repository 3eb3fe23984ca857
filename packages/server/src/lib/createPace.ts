import { setTimeout as sleep } from 'node:timers/promises'

/** Share of the time that background work takes at most. */
const SHARE = 0.2

/** Creates the pauses of background work. Called between its pieces, it waits four times as long as the last piece took. */
export function createPace(): () => Promise<void> {
  let startedMs = performance.now()
  return async () => {
    await sleep((performance.now() - startedMs) * (1 / SHARE - 1))
    startedMs = performance.now()
  }
}
