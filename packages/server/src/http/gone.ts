import type { ServerResponse } from 'node:http'

/** A signal that fires when the connection closes before the answer was sent. */
export function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed || response.socket?.destroyed) gone.abort()
  return gone.signal
}
