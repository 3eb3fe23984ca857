/** Longest stalls of an event loop, in milliseconds. */
export type Stalls = {
  /** Caused by this process: bounded by the processor time that it used in the meantime. */
  readonly maxMs: number
  /** Wall-clock time, so other processes on the machine count too. */
  readonly maxWallMs: number
}

/** Ends a watch, and returns the longest stalls. */
export type EndWatch = {
  (): Stalls
  /** Returns them without ending it. */
  soFar(): Stalls
}

/** Watches the event loop until the returned function is called. */
export function watchStalls(): EndWatch {
  let maxMs = 0
  let maxWallMs = 0
  let at = performance.now()
  let used = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage()
    const usedMs = (user + system - used.user - used.system) / 1000
    const wallMs = now - at
    maxWallMs = Math.max(maxWallMs, wallMs)
    // A process that waits for a processor uses none.
    maxMs = Math.max(maxMs, Math.min(wallMs, usedMs))
    at = now
    used = { user, system }
  }, 1)
  const soFar = () => ({ maxMs, maxWallMs })
  const end = () => {
    clearInterval(timer)
    return soFar()
  }
  return Object.assign(end, { soFar })
}
