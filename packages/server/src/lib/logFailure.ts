import { messageOf } from './errors.ts'
import type { Log } from './logging.ts'

/**
 * Logs that work in the background failed.
 * @param part what failed, such as `directory`; it names the event
 * @param subject which one of them, such as `bazaar`. @default none
 */
export function logFailure(log: Log, part: string, error: unknown, subject?: string): void {
  const reason = messageOf(error)
  const event = `${part.replaceAll(' ', '_')}_failed`
  const what = subject === undefined ? part : `${part} ${subject}`
  log('warn', `${what} failed: ${reason}`, { event, ...(subject && { subject }), reason })
}

/** Logs that work in the background failed, unless the process stops: what a stop cuts is no fault. */
export function logUntilStop(
  { log, stopping }: { readonly log: Log; readonly stopping: AbortSignal },
  part: string,
  error: unknown,
): void {
  if (!stopping.aborted) logFailure(log, part, error)
}
