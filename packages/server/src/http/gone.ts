import type { ServerResponse } from 'node:http'

/** Returns a signal that aborts if the connection closes before the answer is sent. */
export function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed || response.socket?.destroyed) gone.abort()
  return gone.signal
}
