import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { toProblem } from './problems.ts'

type UnreadError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

/**
 * Answers a request that Node could not parse with a problem document, and ends the connection.
 * @param latest the latest response on the connection
 */
export function refuseUnread(error: UnreadError, socket: Duplex, latest: ServerResponse | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isUnderWay(latest)) {
    socket.destroy()
    return
  }
  // An answer to HEAD has no body, even if nothing else of the request could be parsed.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(rawRefusal(error.code, isHead))
}

/** Returns whether a part of an answer is still to be written: the client would take a refusal for that part. */
function isUnderWay(latest: ServerResponse | undefined): boolean {
  if (latest === undefined || latest.writableFinished) return false
  // A response has no socket while it waits for the one before it.
  return latest.socket === null || (latest.headersSent && !latest.writableEnded)
}

function rawRefusal(code: string | undefined, isHead: boolean): string {
  const [status, name, detail] =
    code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'headers_too_large', 'The headers are too large.'] as const)
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'request_timeout', 'The request took too long to arrive.'] as const)
        : ([400, 'bad_request', 'This is not a valid HTTP request.'] as const)
  const problem = toProblem({ status, code: name, detail })
  const body = JSON.stringify(problem)
  return [
    `HTTP/1.1 ${status} ${problem.title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n')
}
