/** The audit's clock. Payments and network timeouts use real time. */
export type Clock = {
  /** Unix time in ms. */
  now(): number
  /** Resolves after `ms` of this clock's time; rejects with the signal's reason if that fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Keeps a clock that can jump from jumping until the returned function is called. No-op on a real clock. */
  hold(): () => void
}
