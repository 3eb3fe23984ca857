import os from 'node:os'

/**
 * Lowers the priority of this thread, so that serving requests comes first. Never raises it, which needs privileges.
 * Linux only: other systems have no priority per thread.
 */
export function yieldPriority(
  { getPriority, setPriority }: Pick<typeof os, 'getPriority' | 'setPriority'> = os,
  platform: string = process.platform,
): void {
  if (platform !== 'linux') return
  try {
    setPriority(Math.max(getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // A sandbox may forbid it; probing at normal priority still works.
  }
}
