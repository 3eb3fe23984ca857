import { LogError } from '@touchstone402/transparency'
import type { LogHead, LogPublisher } from '@touchstone402/transparency/publisher'
import { messageOf } from '../lib/errors.ts'

const WAY_BACK =
  'put the newest back-up in its place, or stop the service and begin another log with "touchstone-server log begin"'

/**
 * Publishes the log.
 * @param onRefusal receives why nothing is signed, or null when a checkpoint is signed again
 * @throws Error that says what the operator can do
 */
export async function publishLog(
  publisher: LogPublisher,
  onRefusal: (reason: string | null) => Promise<void>,
): Promise<LogHead | null> {
  try {
    const head = await publisher.publish()
    await onRefusal(null)
    return head
  } catch (cause) {
    const isLost = cause instanceof LogError && cause.code === 'inconsistent'
    const error = isLost ? new Error(`${cause.message}: ${WAY_BACK}`, { cause }) : cause
    await onRefusal(messageOf(error))
    throw error
  }
}
