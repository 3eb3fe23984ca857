import os from 'node:os'

/**
 * Lets everything else on the machine go first, as far as this thread is not behind already: only a privileged process
 * may take priority back. Only on Linux a thread has a priority of its own; elsewhere nothing is done.
 */
export function yieldPriority(
  { getPriority, setPriority }: Pick<typeof os, 'getPriority' | 'setPriority'> = os,
  platform: string = process.platform,
): void {
  if (platform !== 'linux') return
  try {
    setPriority(Math.max(getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // A sandbox may forbid even that. Slower calls are better than no probes.
  }
}
