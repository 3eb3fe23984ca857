import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { toProblem } from './problems.ts'

/** Refuses with a problem document what Node could not read as a request, and ends the connection. */
export function refuseUnread(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAmidAnswer(socket)) {
    socket.destroy()
    return
  }
  // An answer to HEAD has no body, even where nothing else of the request can be read.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(rawRefusal(error.code, isHead))
}

/** Whether a part of an answer is still to come: the client would take whatever is written now for that part. */
function isAmidAnswer(socket: Socket): boolean {
  // Node's own refusal looks at the same: nothing public leads from a connection to its answer.
  const answer: ServerResponse | null | undefined = Reflect.get(socket, '_httpMessage')
  return answer?.headersSent === true && !answer.writableEnded
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
