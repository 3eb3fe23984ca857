import { encodeBase64Json, parseJson, usdToAtomic, X402_HEADERS } from '@touchstone402/shared'
import { createLru } from '../lru.ts'
import type { GuardContext, VerdictClient } from '../paying/guardContext.ts'
import { readChallenge } from '../paying/readChallenge.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import { bytesToHex } from '../paying/signatures/bytes.ts'
import type { SigningAccount } from '../paying/signatures/signingAccount.ts'
import { readBody } from '../readBody.ts'
import type { FetchLike, VerdictState } from '../types.ts'
import { describeStatus, serviceUrl } from '../verdicts/serviceApi.ts'
import { guardAccount } from './guardedAccount.ts'
import { guardInnerFetch } from './guardedFetch.ts'

/** Options of {@link createLiveCheck}. */
export type LiveCheckOptions = {
  /** Base URL of the service. */
  serviceUrl: string
  /** Receiver of the service; without it the first receiver paid is pinned. */
  payTo: string | undefined
  /** Maximum dollars for one check. */
  maxPriceUsd: string
  account: SigningAccount
  /** Verifies and caches the answer. */
  accept: VerdictClient['accept']
  fetch: FetchLike
  /** Cache lifetime of a check in ms. */
  maxAgeMs: number
  timeoutMs: number
}

const MAX_ENDPOINTS = 1000
const MAX_BYTES = 1024 * 1024

/**
 * Creates a buyer of live checks (`/trust`), each paid under guard within its own price limit and counted in the budget.
 * It never rejects; if no check can be bought, the state is `unavailable`.
 */
export function createLiveCheck(context: GuardContext, options: LiveCheckOptions) {
  const service = toServiceContext(context, options)
  const bought = createLru<{ at: number; state: Promise<VerdictState> }>(MAX_ENDPOINTS)
  return (endpoint: string): Promise<VerdictState> => {
    const last = bought.get(endpoint)
    if (last !== undefined && context.now() - last.at < options.maxAgeMs) return last.state
    const state = buy(service, options, endpoint).catch((error): VerdictState => {
      const detail = error instanceof Error ? error.message : 'The live check failed.'
      return { state: 'unavailable', detail, lastSeen: null }
    })
    bought.set(endpoint, { at: context.now(), state })
    return state
  }
}

/** Returns the guard of payments to the service, which nobody else vouches for. */
function toServiceContext(context: GuardContext, options: LiveCheckOptions): GuardContext {
  const { policy } = context
  const { host } = new URL(options.serviceUrl)
  return {
    ...context,
    verdicts: null,
    ask: null,
    schemes: { ...context.schemes, mpp: undefined },
    cap: { perCall: usdToAtomic(options.maxPriceUsd), task: null },
    policy: {
      ...policy,
      pinReceivers: true,
      // The service is not measured.
      minScore: 0,
      block: [],
      allowHosts: policy.allowHosts.length > 0 ? policy.allowHosts : [host],
      allowReceivers: options.payTo === undefined ? policy.allowReceivers : [options.payTo],
    },
    // Decisions on a check are told by what it was bought for.
    emit: (parts) => (/^(allowed|refused)$/.test(parts.type) ? undefined : context.emit(parts)),
  }
}

async function buy(
  context: GuardContext,
  { account, timeoutMs, ...options }: LiveCheckOptions,
  endpoint: string,
): Promise<VerdictState> {
  const url = new URL(serviceUrl(options.serviceUrl, '/trust', { endpoint })).href
  const pay = guardInnerFetch(context, options.fetch, { payer: account.address })
  const init = () => ({ redirect: 'manual' as const, signal: AbortSignal.timeout(timeoutMs) })
  let answer = await pay(url, init())
  if (answer.status === 402) {
    const { header, offers } = await readChallenge(context, answer)
    const offer = offers.find(({ source }) => source === 'header')
    const [open] = context.intents.ofCall('GET', url).filter(({ signed }) => signed === null)
    if (offer === undefined || open === undefined) throw new Error('The service makes no offer of version 2.')
    const authorization: Authorization = {
      from: account.address,
      to: open.intent.payTo,
      value: open.amount,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(context.now() / 1000) + open.intent.maxTimeoutSeconds),
      nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
    }
    const signature = await guardAccount(context, account).signTypedData(
      open.scheme.write(open, authorization),
    )
    const { value, validAfter, validBefore } = authorization
    const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
    const payload = { authorization: { ...authorization, ...numbers }, signature }
    const document = { x402Version: 2, resource: header?.resource, accepted: offer.raw, payload }
    context.count('liveChecks')
    answer = await pay(url, { ...init(), headers: { [X402_HEADERS.signature]: encodeBase64Json(document) } })
  }
  if (answer.status !== 200) throw new Error(describeStatus(url, answer.status))
  return options.accept(endpoint, parseJson(await readBody(answer, MAX_BYTES, timeoutMs)))
}
