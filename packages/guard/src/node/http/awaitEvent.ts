import type { EventEmitter } from 'node:events'
import { untilAborted } from '../../paying/calls/request.ts'

/** Waits for an event of a request or a socket. Rejects on its error, its close, and an abort. */
export function awaitEvent<Values extends unknown[]>(
  emitter: EventEmitter,
  name: string,
  signal: AbortSignal,
): Promise<Values> {
  const event = new Promise<Values>((resolve, reject) => {
    emitter
      .once(name, (...values) => resolve(values as Values))
      .on('error', reject)
      // A request that is answered with 101 closes without an error.
      .once('close', () => reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })))
  })
  return untilAborted(signal, event)
}
