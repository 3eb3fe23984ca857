import { readTransfer } from '@touchstone402/shared/market'
import type { Books, CallRecord, Fate } from '../books.ts'
import type { Process } from '../process/seams.ts'
import type { Chain } from './chain.ts'
import type { Order } from './order.ts'
import { answerRpc, type RpcMood } from './rpc.ts'
import { answerRequest, type MarketParts, type Seller, type SellerAnswer } from './sellers.ts'
import type { Time } from './time.ts'

/** All that a request can reach. */
export type NetworkParts = {
  readonly time: Time
  readonly order: Order
  readonly books: Books
  readonly chain: Chain
  readonly sellers: readonly Seller[]
  readonly market: MarketParts
  /** Moods of the RPC endpoints `http://rpc0.world`, `http://rpc1.world`. */
  readonly rpcs: RpcMood[]
  /** Told of each signature that leaves with a request. */
  readonly onLeave: (call: CallRecord, nonce: string) => void
}

const FINE: Fate = { loses: 'nothing', delayMs: 0, isDuplicated: false }
const RPC = /^http:\/\/rpc(\d)\.world/
const LOST_MS = 5000
/** Status of an exchange without a whole answer. */
const NO_ANSWER = 0

/** Returns the `fetch` of a world. */
export function createFetch(parts: NetworkParts) {
  return async (process: Process, input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    // Reconciling asks often, and a Request takes longer than the answer.
    const rpc = RPC.exec(String(input))?.[1]
    if (rpc !== undefined) return askRpc(parts, process, Number(rpc), String(init?.body))
    const request = new Request(input, init)
    const { signal } = request
    signal.throwIfAborted()
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    )
    aborted.catch(() => {})
    return Promise.race([exchange(parts, process, request), aborted])
  }
}

async function exchange(parts: NetworkParts, process: Process, request: Request): Promise<Response> {
  const { order, books } = parts
  const { host } = new URL(request.url)
  const call = books.context.getStore() ?? null
  const transfer = readTransfer(request.headers)
  if (transfer !== null && call !== null) {
    books.leave(transfer.nonce, call, true)
    parts.onLeave(call, transfer.nonce)
  }
  const fate = call?.fates.shift() ?? FINE
  const seller = parts.sellers.find((one) => one.host === host)
  const signature = transfer === null ? undefined : books.signatures.get(transfer.nonce)
  const what = `${request.method} ${request.url}${transfer === null ? '' : ` paid ${transfer.nonce.slice(0, 10)}`}`
  const lose = (lost: string) => {
    signature?.statuses.push(NO_ANSWER)
    return breakOff(parts, process, `net loses ${lost}`)
  }
  if (fate.loses === 'request' || seller === undefined) return lose(what)
  const arrive = () => order.act(process, `net ${what}`, () => answerRequest(seller, parts.market, request))
  const [answer] = await Promise.all(fate.isDuplicated ? [arrive(), arrive()] : [arrive()])
  if (answer === undefined || answer === null) {
    signature?.statuses.push(NO_ANSWER)
    return new Promise(() => {})
  }
  if (fate.loses === 'response') return lose(`the answer to ${what}`)
  if (fate.delayMs > 0) await new Promise<void>((resolve) => void parts.time.after(fate.delayMs, resolve))
  return order.act(process, `net answers ${answer.status} to ${what}`, () => {
    if (signature !== undefined) noteAnswer(signature, answer, fate)
    return toResponse(answer, fate)
  })
}

function noteAnswer(
  signature: { hasHead: boolean; isAnswered: boolean; statuses: number[] },
  answer: NonNullable<SellerAnswer>,
  { loses }: Fate,
): void {
  const { status, body } = answer
  const isOk = status >= 200 && status < 300
  signature.statuses.push(loses === 'restOfBody' || (isOk && body === '') ? NO_ANSWER : status)
  if (isOk && loses !== 'restOfBody' && (body !== '' || status !== 200)) signature.isAnswered = true
  // A seller that has begun an answer, and refuses to repeat it, has ended the call.
  if (!isOk && signature.hasHead) signature.isAnswered = true
  if (isOk) signature.hasHead = true
}

async function breakOff({ time, order }: NetworkParts, process: Process, what: string): Promise<never> {
  await order.act(process, what, () => {})
  await new Promise<void>((resolve) => void time.after(LOST_MS, resolve))
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
}

function toResponse({ status, headers, body }: NonNullable<SellerAnswer>, { loses }: Fate): Response {
  if (body === '' || status === 204) return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body)
  if (loses !== 'restOfBody') {
    return new Response(bytes, { status, headers: { ...headers, 'content-length': `${bytes.length}` } })
  }
  let isBegun = false
  const cut = new ReadableStream({
    pull(controller) {
      if (isBegun) return controller.error(new TypeError('terminated'))
      isBegun = true
      controller.enqueue(bytes.subarray(0, bytes.length >> 1))
    },
  })
  return new Response(cut, { status, headers })
}

async function askRpc(
  { order, chain, rpcs }: NetworkParts,
  process: Process,
  number: number,
  body: string,
): Promise<Response> {
  const call = JSON.parse(body)
  const mood = rpcs[number] ?? 'down'
  return order.act(process, `rpc${number} ${call.method}`, () => {
    const answer = answerRpc(chain, mood, call)
    if (answer === null) throw new TypeError('fetch failed')
    return Response.json(answer)
  })
}
