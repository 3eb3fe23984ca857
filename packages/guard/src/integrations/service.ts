import { encodeBase64Json, parseJson, usdToAtomic, X402_HEADERS } from '@touchstone402/shared'
import { isGuardError, type Report } from '../errors.ts'
import { createLru } from '../lru.ts'
import { readChallenge } from '../paying/challenge.ts'
import { describeClock } from '../paying/clock.ts'
import type {
  BuyLiveCheck,
  GuardContext,
  LiveCheck,
  VerdictClient,
  VerdictReader,
} from '../paying/guardContext.ts'
import { factsOf } from '../paying/paymentFacts.ts'
import type { Authorization } from '../paying/signatures/authorization.ts'
import { bytesToHex } from '../paying/signatures/bytes.ts'
import type { SigningAccount } from '../paying/signatures/typedData.ts'
import { paymentOf } from '../paymentOf.ts'
import { readBody } from '../readBody.ts'
import { createMapVerdicts, isLacking } from '../verdicts/mapVerdicts.ts'
import { createServiceReader, describeStatus, serviceUrl } from '../verdicts/serviceApi.ts'
import type { ReadServiceOptions } from '../verdicts/serviceOptions.ts'
import { createVerdictClient } from '../verdicts/verdictClient.ts'
import { guardAccount } from './guardedAccount.ts'
import { guardInnerFetch } from './guardedFetch.ts'
import type { GuardOptions } from './guardOptions.ts'

const LIVE_CHECK_TIMEOUT_MS = 60_000
const MAX_ENDPOINTS = 1000
const MAX_BYTES = 1024 * 1024

/** Creates the client that finds verdicts, by asking the service or in a map, and the buyer of live checks. */
export function openService(
  context: GuardContext,
  service: ReadServiceOptions,
  { log, account }: GuardOptions,
): { verdicts: VerdictReader; liveCheck: BuyLiveCheck } {
  const { url, jwksThumbprint, timeoutMs, map, askUnknown, fetch = globalThis.fetch } = service
  const { count, now, policy } = context
  let clock: string | undefined
  const hear = (headers: Headers) => {
    clock = describeClock(headers, 'the service', now())
  }
  const asking = createVerdictClient({
    count,
    now,
    log,
    maxAgeMs: service.cacheSeconds * 1000,
    doubtClock: () => clock,
    readJson: createServiceReader({ url, timeoutMs, fetch }, hear),
    issuer: service.issuer ?? new URL(url).origin,
    thumbprints: typeof jwksThumbprint === 'string' ? [jwksThumbprint] : jwksThumbprint,
    retryAfterMs: 5000,
    useCached: policy.onUnavailable === 'cached',
  })
  const buy = account && createLiveCheck(service, account, asking.accept)
  if (map === undefined) return { verdicts: asking, liveCheck: async (...asked) => buy?.(...asked) ?? null }
  // A live check names its endpoint.
  const mayName = (endpoint: string) => askUnknown === true && isLacking(map.get(endpoint))
  return {
    verdicts: createMapVerdicts({ map, asking: askUnknown ? asking : null, timeoutMs, count }),
    liveCheck: async (endpoint, ...asked) => (buy && mayName(endpoint) ? buy(endpoint, ...asked) : null),
  }
}

/**
 * Creates a buyer of live checks (`/trust`), each paid under guard as a payment of the call that needs it.
 * It never rejects; if no check can be bought, the state is `unavailable`.
 * @param accept verifies and caches an answer
 */
function createLiveCheck(
  service: ReadServiceOptions,
  account: SigningAccount,
  accept: VerdictClient['accept'],
): BuyLiveCheck {
  const bought = createLru<{ at: number; check: Promise<LiveCheck> }>(MAX_ENDPOINTS)
  return async (endpoint, context, priceUsdMicros) => {
    const last = bought.get(endpoint)
    if (last !== undefined && context.now() - last.at < service.cacheSeconds * 1000) {
      const { state, payment } = await last.check
      // One that another call could not pay for says nothing about the endpoint.
      if (state.state === 'signed' || payment !== null) return { state, payment: null }
    }
    const buying = toServiceContext(context, service, priceUsdMicros)
    const check = buy(buying, service, account, endpoint).then(
      async ({ answer, payment }): Promise<LiveCheck> => ({ state: await accept(endpoint, answer), payment }),
      (error): LiveCheck => {
        const detail = isGuardError(error) ? error.modelMessage : 'The live check failed.'
        const payment = isGuardError(error) ? (error.payment ?? null) : null
        return { state: { state: 'unavailable', detail, lastSeen: null }, payment }
      },
    )
    bought.set(endpoint, { at: context.now(), check })
    return check
  }
}

/** Returns the context of payments to the service, for which there is no verdict. */
function toServiceContext(
  context: GuardContext,
  service: ReadServiceOptions,
  priceUsdMicros: bigint,
): GuardContext {
  const { policy, cap } = context
  const { perCall, task } = cap
  const most = usdToAtomic(service.maxLiveCheckUsd)
  const left = perCall === null ? most : perCall - priceUsdMicros
  const { host } = new URL(service.url)
  return {
    ...context,
    verdicts: null,
    ask: null,
    schemes: { ...context.schemes, mpp: undefined },
    cap: {
      perCall: lesser(left, most),
      task: task && { ...task, usdMicros: task.usdMicros === null ? null : task.usdMicros - priceUsdMicros },
      agent: cap.agent,
    },
    policy: {
      ...policy,
      pinReceivers: true,
      // The service is not measured.
      minScore: 0,
      requireDeliveryAboveUsd: null,
      block: [],
      allowHosts: policy.allowHosts.length > 0 ? policy.allowHosts : [host],
      allowReceivers: service.payTo === undefined ? policy.allowReceivers : [service.payTo],
    },
    // The payment that needs the check reports these decisions.
    emit: (parts) => (/^(allowed|refused)$/.test(parts.type) ? undefined : context.emit(parts)),
  }
}

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

async function buy(
  context: GuardContext,
  service: ReadServiceOptions,
  account: SigningAccount,
  endpoint: string,
): Promise<{ answer: unknown; payment: Report | null }> {
  const { fetch = globalThis.fetch } = service
  const url = new URL(serviceUrl(service.url, '/trust', { endpoint })).href
  const pay = guardInnerFetch(context, fetch, { payer: account.address })
  const init = () => ({ redirect: 'manual' as const, signal: AbortSignal.timeout(LIVE_CHECK_TIMEOUT_MS) })
  let answer = await pay(url, init())
  if (answer.status === 402) {
    const { header, offers } = await readChallenge(context, answer)
    const offer = offers.find(({ source }) => source === 'header')
    const [open] = context.approvals.ofCall('GET', url).filter(({ signed }) => signed === null)
    if (offer === undefined || open === undefined) throw new Error('The service makes no offer of version 2.')
    const authorization: Authorization = {
      from: account.address,
      to: open.intent.payTo,
      value: open.amount,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(context.now() / 1000) + open.intent.maxTimeoutSeconds),
      nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
    }
    const data = open.scheme.write(open, authorization)
    const signature = await guardAccount(context, account).signTypedData(data)
    const { value, validAfter, validBefore } = authorization
    const numbers = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
    const payload = { authorization: { ...authorization, ...numbers }, signature }
    const document = { x402Version: 2, resource: header?.resource, accepted: offer.raw, payload }
    context.count('liveChecks')
    answer = await pay(url, { ...init(), headers: { [X402_HEADERS.signature]: encodeBase64Json(document) } })
  }
  const paid = paymentOf(answer)
  const entry = paid && context.ledger.find(paid.paymentId)
  const payment = entry && paid ? factsOf(entry, paid.intent, paid).payment : null
  const text =
    answer.status === 200 ? await readBody(answer, MAX_BYTES, LIVE_CHECK_TIMEOUT_MS).catch(() => '') : ''
  if (answer.status !== 200 && payment === null) throw new Error(describeStatus(url, answer.status))
  return { answer: parseSafely(text), payment }
}

function parseSafely(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
