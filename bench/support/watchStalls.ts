/** How long an event loop stood still, in milliseconds. */
export type Stalls = {
  /** By our own work: at most as much processor time as this process used in the meantime. */
  readonly maxMs: number
  /** By the clock on the wall, for which whatever else runs on the machine counts too. */
  readonly maxWallMs: number
}

/** Watches the event loop until the returned function is called. */
export function watchStalls(): () => Stalls {
  let maxMs = 0
  let maxWallMs = 0
  let at = performance.now()
  let used = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(used)
    const wallMs = now - at
    maxWallMs = Math.max(maxWallMs, wallMs)
    // A process that waits for a processor uses none.
    maxMs = Math.max(maxMs, Math.min(wallMs, (user + system) / 1000))
    at = now
    used = process.cpuUsage()
  }, 1)
  return () => {
    clearInterval(timer)
    return { maxMs, maxWallMs }
  }
}
