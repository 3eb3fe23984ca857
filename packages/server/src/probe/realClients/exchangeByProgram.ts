import { asObject, canonicalizeUrl } from '@touchstone402/shared'
import { type Answer, MAX_HEADER_BYTES } from '../answer.ts'
import { DeadlineError, RealClientError } from '../errors.ts'
import type { Send } from '../followRedirects.ts'
import { openTunnel } from './openTunnel.ts'
import { type RealClient, toCommand } from './realClients.ts'
import { runProgram } from './runProgram.ts'

/** Bytes that TLS and the framing of HTTP add at most to an answer. */
const OVERHEAD_BYTES = 512 * 1024
/** Time after which a program ends by itself, if this process dies before it is killed. */
const MOST_SECONDS = 60
/** Maximum number of programs that run at the same time; each takes megabytes and a start. */
const MOST_AT_ONCE = 3

/**
 * Creates functions that send one request by a program, through a guarded tunnel. Only the guarded connection speaks against
 * a seller: whatever else fails, the program failed.
 */
export function createProgramExchanges(): (client: RealClient) => Send {
  let free = MOST_AT_ONCE
  const waiting: (() => void)[] = []
  return (client) => async (request, context, limits) => {
    // Refuses what URL parsers read differently.
    canonicalizeUrl(request.url)
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      // Time that was lost in waiting is ours.
      if (limits.signal.aborted) throw new DeadlineError(true)
      return await exchangeByProgram(client, request, context, limits)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

async function exchangeByProgram(
  client: RealClient,
  ...[{ url, method, body }, context, { signal, maxBytes, readsBody }]: Parameters<Send>
): Promise<Answer> {
  const tunnel = await openTunnel(new URL(url), context, { signal, maxBytes: maxBytes + OVERHEAD_BYTES })
  try {
    const { proxy } = tunnel
    const command = toCommand(client, { url, method, body, proxy, seconds: MOST_SECONDS, maxBytes })
    const { stdout, stderr } = await runProgram(client.program, command, { signal, maxBytes: maxBytes + 1 })
    const head = readHead(stderr)
    const isRead = readsBody(head)
    return {
      ...head,
      body: isRead ? stdout.subarray(0, maxBytes) : Buffer.alloc(0),
      isTooLarge: isRead && stdout.length > maxBytes,
      latencyMs: tunnel.elapsedMs(),
    }
  } catch (error) {
    const dialError = tunnel.dialError()
    // The program's own start takes a part of the deadline.
    throw dialError instanceof DeadlineError ? new DeadlineError(true) : (dialError ?? error)
  } finally {
    tunnel.close()
  }
}

/** Reads status and headers as the program wrote them. Repeated headers are joined as `fetch` joins them. */
function readHead(stderr: Buffer): Pick<Answer, 'status' | 'headers'> {
  const head = parse(stderr.toString('latin1'))
  const status = head?.status
  const listed = asObject(head?.headers)
  if (!Number.isInteger(status) || Number(status) < 200 || listed === undefined)
    throw new RealClientError('wrote no answer')
  const headers = Object.entries(listed).map(([name, values]) => [
    name.toLowerCase(),
    [values].flat().map(String).join(', '),
  ])
  const size = headers.reduce((sum, [name = '', value = '']) => sum + name.length + value.length, 0)
  if (size > MAX_HEADER_BYTES) throw new RealClientError('wrote too many headers')
  return { status: Number(status), headers: Object.fromEntries(headers) }
}

function parse(text: string) {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}
