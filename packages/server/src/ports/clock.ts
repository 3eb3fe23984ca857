/** The audit's clock. Payments and network time limits keep real time. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Resolves after `ms` of this clock's time; rejects with the signal's reason when that fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Holds time still while work is under way, on a clock that can jump; a real clock does nothing. */
  hold(): () => void
}
