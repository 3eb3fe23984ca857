import {
  canonicalizeUrl,
  encodeBase64Json,
  formatUnits,
  sameAddress,
  USDC_DECIMALS,
  usdToAtomic,
  X402_HEADERS,
} from '@touchstone402/shared'
import { budgetLimits } from '../decide/budget.ts'
import { type Candidate, screen } from '../decide/screen.ts'
import { createGuardError } from '../errors.ts'
import { createLru } from '../lru.ts'
import type { Authorization } from '../paying/authorization.ts'
import { bytesToHex } from '../paying/bytes.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { readChallenge } from '../paying/readChallenge.ts'
import { readReceipt, recordSettlement, toSent } from '../paying/settlement.ts'
import { type SigningAccount, writeTypedData } from '../paying/signingAccount.ts'
import { readBody } from '../readBody.ts'
import type { FetchLike, PaymentIntent, VerdictState } from '../types.ts'

/** What buying a live check takes. */
export type LiveCheckOptions = {
  /** Base URL of the service. */
  serviceUrl: string
  /** The receiver of the service; without it the one that was paid first is kept. */
  payTo: string | undefined
  /** Dollars for one check at the most. */
  maxPriceUsd: string
  account: SigningAccount
  fetch: FetchLike
  /** How long a bought check is used without buying again, in milliseconds. */
  maxAgeMs: number
  timeoutMs: number
}

const MAX_ENDPOINTS = 1000
const MAX_BYTES = 1024 * 1024

/**
 * Makes the buyer of live checks: `/trust`, paid within its own limit and counted in the budget like any payment.
 * The state that it returns is `unavailable` where no check could be bought; it never rejects.
 */
export function createLiveCheck(context: GuardContext, options: LiveCheckOptions) {
  const bought = createLru<{ at: number; state: Promise<VerdictState> }>(MAX_ENDPOINTS)
  return (endpoint: string): Promise<VerdictState> => {
    const last = bought.get(endpoint)
    if (last !== undefined && context.now() - last.at < options.maxAgeMs) return last.state
    const state = buy(context, options, endpoint).catch((error): VerdictState => {
      const detail = error instanceof Error ? error.message : 'No live check could be bought.'
      return { state: 'unavailable', detail, lastSeen: null }
    })
    bought.set(endpoint, { at: context.now(), state })
    return state
  }
}

async function buy(
  context: GuardContext,
  options: LiveCheckOptions,
  endpoint: string,
): Promise<VerdictState> {
  const { ledger } = context
  const base = options.serviceUrl.replace(/\/+$/, '')
  const url = new URL(`${base}/trust?endpoint=${encodeURIComponent(endpoint)}`).href
  const init = () => ({ redirect: 'manual' as const, signal: AbortSignal.timeout(options.timeoutMs) })
  const asked = await options.fetch(url, init())
  if (asked.status !== 402) throw new Error(`The service answered with status ${asked.status}.`)
  const challenge = await readChallenge(asked)
  const { chosen, intent } = await choose(context, options, url, challenge)

  const call = { host: intent.host, endpoint: intent.endpoint, call: `GET ${url}`, at: context.now() }
  const terms = { network: intent.network, asset: intent.asset, payTo: intent.payTo }
  const money = { amountAtomic: intent.amountAtomic, usdMicros: chosen.usdMicros }
  const reserved = await ledger.reserve({ ...call, ...terms, ...money }, budgetLimits(context.policy))
  if (!reserved.ok) throw createGuardError(reserved.code, { intent })
  const authorization = authorize(options.account.address, intent, chosen.amount, context.now())
  // Everything from here on may have left, so it counts as spent before there is a signature.
  await ledger.update(reserved.id, toSent(authorization))
  context.count('paid')
  context.count('liveChecks')
  const signature = await options.account.signTypedData(writeTypedData(chosen.domain, authorization))
  const open = { intent, verdict: null, reservation: reserved.id, traceparent: null }
  let paid: Response
  try {
    const header = writePayment(challenge.header?.resource, chosen, authorization, signature)
    paid = await options.fetch(url, { ...init(), headers: { [X402_HEADERS.signature]: header } })
  } catch (error) {
    await recordSettlement(context, open, null)
    throw error
  }
  await recordSettlement(context, open, readReceipt(paid.headers.get(X402_HEADERS.response)))
  if (paid.status !== 200) throw new Error(`The service answered the payment with status ${paid.status}.`)
  return context.verdicts.accept(endpoint, JSON.parse(await readBody(paid, MAX_BYTES, options.timeoutMs)))
}

async function choose(
  context: GuardContext,
  { payTo, maxPriceUsd }: LiveCheckOptions,
  url: string,
  challenge: Parameters<typeof screen>[2],
): Promise<{ chosen: Candidate; intent: PaymentIntent }> {
  const canonical = canonicalizeUrl(url)
  const v2 = { ...challenge, offers: challenge.offers.filter(({ source }) => source === 'header') }
  const screened = screen(context.policy, canonical, v2)
  if ('code' in screened) throw createGuardError(screened.code)
  const pinnedOf = ({ offer }: Candidate): string | null => {
    const query = { host: canonical.host, endpoint: canonical.key, call: '' }
    const { network, asset } = offer
    const limits = budgetLimits(context.policy)
    return payTo ?? context.ledger.view({ ...query, network, asset }, limits, context.now()).pinnedReceiver
  }
  const fitting = screened.candidates.filter((candidate) => {
    const pinned = pinnedOf(candidate)
    return pinned === null || sameAddress(pinned, candidate.offer.payTo)
  })
  const cheapest = fitting.toSorted((a, b) => (a.usdMicros < b.usdMicros ? -1 : 1))[0]
  if (cheapest === undefined) throw createGuardError('RECEIVER_PIN_MISMATCH')
  if (cheapest.usdMicros > usdToAtomic(maxPriceUsd)) throw createGuardError('PRICE_ABOVE_CHECKED')
  const { network, asset, amountAtomic, maxTimeoutSeconds, ...offer } = cheapest.offer
  const where = { url, endpoint: canonical.key, host: canonical.host, method: 'GET' }
  const amountUsd = formatUnits(cheapest.usdMicros, USDC_DECIMALS)
  return {
    chosen: cheapest,
    intent: { ...where, network, asset, payTo: offer.payTo, amountAtomic, amountUsd, maxTimeoutSeconds },
  }
}

function authorize(from: string, intent: PaymentIntent, value: bigint, now: number): Authorization {
  const seconds = Math.floor(now / 1000)
  return {
    from,
    to: intent.payTo,
    value,
    validAfter: 0n,
    validBefore: BigInt(seconds + intent.maxTimeoutSeconds),
    nonce: bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
  }
}

function writePayment(
  resource: unknown,
  { offer }: Candidate,
  { from, to, nonce, ...numbers }: Authorization,
  signature: string,
): string {
  const authorization = {
    from,
    to,
    value: numbers.value.toString(),
    validAfter: numbers.validAfter.toString(),
    validBefore: numbers.validBefore.toString(),
    nonce,
  }
  return encodeBase64Json({
    x402Version: 2,
    resource,
    accepted: offer.raw,
    payload: { authorization, signature },
  })
}
