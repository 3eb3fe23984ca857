import { HOUR } from '../../facts/times.ts'
import { INTERVALS } from '../../judge/schedule.ts'
import { LIMITS } from '../../judge/spec.ts'

/** Explains the steps and times after a check of a host is requested. */
export function WhatNext() {
  return (
    <p class="small muted">
      What happens next: up to 20 listed endpoints are probed within minutes, and the profile shows each probe
      within a minute. An outage is over after {LIMITS.recoveredAfterUps} valid answers in a row. Probes go on
      at random times, about every {INTERVALS.steady / HOUR} hours, and every other finding says what ends it.
    </p>
  )
}
