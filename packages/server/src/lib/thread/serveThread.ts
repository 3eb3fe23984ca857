import { parentPort } from 'node:worker_threads'
import { type Call, connectThread, type Methods } from './connectThread.ts'
import { readTask } from './taskClock.ts'

/**
 * Answers the calls of the main thread, in a script that `createThread` starts.
 * @param close called when the main thread lets this one finish, after all open calls. @default nothing
 * @returns a function that calls the main thread
 * @throws Error in the main thread
 */
export function serveThread<M extends Methods>(
  methods: Methods,
  close: () => Promise<void> = async () => {},
): Call<M> {
  if (parentPort === null) throw new Error('This script must run in a worker thread')
  const port = parentPort
  const onFinish = async () => {
    await close()
    port.close()
  }
  const { call, tellLoaded } = connectThread<M>(port, { methods, onFinish })
  tellLoaded(readTask())
  return call
}
