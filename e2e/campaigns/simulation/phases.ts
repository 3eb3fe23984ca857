import type { Host, Phase } from './types.ts'

/** Returns the behavior of a host on a day. */
export function phaseAt(host: Host, day: number): Phase {
  const phase = host.phases.findLast(({ fromDay }) => fromDay <= day) ?? host.phases[0]
  if (phase === undefined) throw new Error(`${host.host} has no phases`)
  return phase
}
