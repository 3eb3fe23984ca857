import { approveNew } from '../paying/approve.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { identifyCall } from '../paying/identifyCall.ts'
import { readChallenge } from '../paying/readChallenge.ts'
import { refuse } from '../paying/refuse.ts'
import { type CallRequest, copyRequest } from '../paying/request.ts'
import { fail, settle } from '../paying/sendPayment.ts'
import { updateSent } from '../paying/settlement.ts'
import { readUrl } from '../readUrl.ts'
import type { FetchLike } from '../types.ts'
import { readSafely } from './guardedFetch.ts'

const ONE_PROTOCOL = 'guard.outer cannot keep the library from another protocol of the 402; use guard.fetch.'

/** Checks a request by one without a payment, and then has it paid. */
export async function sendOuter(
  context: GuardContext,
  { paying, probe }: { paying: FetchLike; probe: FetchLike },
  ...[input, init]: Parameters<FetchLike>
): Promise<Response> {
  const read = readSafely(context, input, init)
  const invalid = readUrl(read.url)
  if (typeof invalid === 'string') throw refuse(context, 'URL_INVALID', { details: `${invalid}.` })
  const { request, copy } = readTwice(read)
  const answer = await probe(copy.input, copy.init)
  if (answer.status !== 402) return answer
  const challenge = await readChallenge(context, answer, request.headers)
  if (challenge.authenticate !== null)
    throw refuse(context, 'PROTOCOL_NOT_SUPPORTED', { details: ONE_PROTOCOL })
  const { method, url: requestedUrl } = request
  const traceparent = request.headers.get('traceparent')
  const { open } = await approveNew(context, {
    ...{ method, requestedUrl, traceparent },
    url: answer.url === '' ? requestedUrl : answer.url,
    challenge,
    once: await identifyCall(request, null),
  })
  // The approval is for the wrapped fetch; no other integration may use it.
  context.intents.withdraw(open)
  await updateSent(context, open, { state: 'sent', authorization: null })
  context.count('paid')
  const response = await paying(request.input, request.init).catch(async (cause: unknown) => {
    throw await fail(context, open, 'NO_ANSWER', 'none', { cause })
  })
  return settle(context, open, response)
}

/** Returns a request twice, for two readers of its body. */
function readTwice(request: CallRequest): { request: CallRequest; copy: CallRequest } {
  const copy = copyRequest(request)
  if (copy !== undefined) return { request, copy }
  // A stream: a Request can split it.
  const input = new Request(request.input, request.init)
  const split = { ...request, input, init: undefined }
  return { request: split, copy: { ...split, input: input.clone() } }
}
