import { isRecord } from '@touchstone402/shared'
import { isGuardError, type Report } from '../../errors.ts'
import { formatUsd } from '../../formatUsd.ts'
import type { Guard } from '../../integrations/createGuard.ts'
import type { GuardedFetch } from '../../integrations/createGuardedFetch.ts'
import { readReceipt } from '../../paying/settlement.ts'
import { liveCheckOf, paymentOf } from '../../paymentOf.ts'
import { CANNOT_RESEND, RETRY } from '../../reasons.ts'
import { PRIVATE_ADDRESS } from '../http/exchange.ts'
import { findMediaType } from '../http/mediaTypes.ts'
import type { ReadBody } from './answerBody.ts'
import { AnswerLimitError } from './answerFile.ts'
import { chargedUsd } from './chargedUsd.ts'

/**
 * Result of a guarded call: of the tools for models, and of the command `pay --json`.
 * @example
 * const mayRepeat = ({ paid, state }: CallResult) => !paid || state === 'sent'
 */
export type CallResult = {
  /** Whether a signed payment for this call was sent, now or by an equal call before. */
  paid: boolean
  /** Dollars of the signed payment, as a decimal string; null if nothing was signed. */
  amountUsd: string | null
  /**
   * Dollars that this call has added to what is spent: `0` if an earlier or equal call was charged for the payment, and
   * with the live check.
   */
  chargedUsd: string
  /**
   * `none`: nothing was signed. `signed`: signed, but not sent. `sent`: it may be collected. `settled`: the endpoint
   * reports that it was collected.
   */
  state: 'none' | 'signed' | 'sent' | 'settled'
  paymentId: string | null
  /** Hash of the settlement, as the endpoint reports it. */
  transaction: string | null
  /** The live check that was bought for this call; null without one. */
  liveCheck: { amountUsd: string; state: string; paymentId: string } | null
  /** Dollars left of the limit that refused the call; payments if that limit counts them. */
  remaining: string | number | null
  /** ISO time from which the call may succeed; null if waiting does not help. */
  resetsAt: string | null
  /** Dollars left of the daily budget; null if it cannot be read. */
  dayRemainingUsd: string | null
  /** ISO time at which more is left of the daily budget; null if nothing was spent. */
  dayResetsAt: string | null
  /** Literal reason of a refusal, or of a failure of the connection; null after an answer. */
  code: string | null
  /** Why there is no complete answer; null if there is one. */
  reason: string | null
  /** How to fix it. */
  remedy: string | null
  /** Flags of the verdict that refused the call. */
  flags: readonly string[]
  /** The exceeded limit: dollars, or payments in a minute as a number. */
  limit: string | number | null
  /** The refused terms. */
  offered: { network: string; asset: string; amountUsd: string; payTo: string } | null
  profileUrl: string | null
  /** HTTP status; null without an answer. */
  status: number | null
  /** Media type of the body; null if it is not a common one. */
  contentType: string | null
  /** The body, or as much of it as came within the limits: text in its declared charset, other bytes as base64. */
  content: string | null
  /** `base64` if the body is no text, else null. */
  encoding: 'base64' | null
  /** Path of the file that holds the body in place of `content`; null without a folder for files. */
  file: string | null
  /** Whether the body is incomplete. */
  isCut: boolean
}

type Money = Pick<CallResult, 'paymentId' | 'amountUsd' | 'state' | 'transaction'>
type Outcome = Money & Partial<CallResult>
type Call = { url: string; method: string; maxUsd?: string | undefined } & Omit<RequestInit, 'method'>

const NOTHING: Money = { state: 'none', paymentId: null, amountUsd: null, transaction: null }

/** Makes a guarded call and reports what became of it and of the money. Never rejects. */
export async function callEndpoint(
  { guard, pay }: { guard: Guard; pay: GuardedFetch },
  { url, ...init }: Call,
  read: ReadBody,
): Promise<CallResult> {
  const startedAt = Date.now()
  const readAnswer = async (response: Response) => {
    // Whatever becomes of the body, the payment is reported.
    const lost = (cut: unknown) => ({ content: null, encoding: null, file: null, cut })
    const body = await read(response, init.signal ?? null, startedAt).catch(lost)
    return describeAnswer(guard, response, body)
  }
  const outcome = await pay(url, init).then(readAnswer).catch(describeError)
  return completeResult(guard, outcome)
}

/** Adds the remaining budget to the result of a call. Never rejects. */
export async function completeResult(guard: Guard, outcome: Outcome): Promise<CallResult> {
  const { day } = await guard.budget().catch(() => ({ day: null }))
  return {
    chargedUsd: '0',
    remaining: null,
    resetsAt: null,
    dayRemainingUsd: day?.remainingUsd ?? null,
    dayResetsAt: day?.resetsAt ?? null,
    code: null,
    reason: null,
    remedy: null,
    flags: [],
    limit: null,
    offered: null,
    profileUrl: null,
    liveCheck: null,
    status: null,
    contentType: null,
    content: null,
    encoding: null,
    file: null,
    isCut: false,
    ...outcome,
    paid: outcome.state === 'sent' || outcome.state === 'settled',
  }
}

/** Describes what became of a call and its money, in one line. */
export function describeCall(outcome: Outcome): string {
  const { state, amountUsd, paymentId, status = null, code = null, reason = null, remedy } = outcome
  // A model may sum what it reads.
  const before = outcome.chargedUsd === '0' ? ' by an earlier call, nothing by this one' : ''
  const price = amountUsd === null ? '' : ` ${formatUsd(amountUsd)}`
  const money = {
    none: status === null ? 'Not paid' : 'free',
    signed: `Payment${price} signed, but not sent`,
    sent: status === null ? `Payment of${price} sent` : `paid${price}${before}`,
    settled: status === null ? `Payment of${price} collected` : `paid${price}${before}`,
  }[state]
  if (reason === null) return `${money}.`
  const name = paymentId === null ? '' : `, payment ${paymentId}`
  return [`${money}${code === null ? '' : ` (${code})`}${name}: ${reason}`, remedy].filter(Boolean).join(' ')
}

async function describeAnswer(
  guard: Guard,
  response: Response,
  { cut, ...body }: Awaited<ReturnType<ReadBody>>,
): Promise<Outcome> {
  const { status, headers, ok } = response
  const answered = paymentOf(response)
  const check = liveCheckOf(response)
  const receipt = readReceipt(headers)
  const payment: Money =
    answered === null
      ? NOTHING
      : {
          state: receipt === null ? 'sent' : 'settled',
          paymentId: answered.paymentId,
          amountUsd: answered.intent.amountUsd,
          transaction: receipt?.transaction ?? null,
        }
  const charge = answered && {
    state: payment.state === 'settled' ? ('settled' as const) : ('sent' as const),
    amountUsd: answered.intent.amountUsd,
    isRepeat: answered.isRepeat,
  }
  const reasons = [
    ...(ok ? [] : [`The endpoint answered with status ${status}.`]),
    ...(cut === null ? [] : [`The answer was cut: ${reasonOf(cut)}.`]),
  ]
  const resend = async ({ paymentId }: { paymentId: string }) =>
    (await canResend(guard, paymentId)) ? RETRY : CANNOT_RESEND
  const remedy = remedyOf(cut) ?? (answered && (await resend(answered)))
  return {
    ...(check && { liveCheck: toCheck(check) }),
    ...payment,
    chargedUsd: chargedUsd(charge, check),
    ...body,
    status,
    contentType: findMediaType(headers.get('content-type')),
    isCut: cut !== null,
    ...(reasons.length > 0 && { reason: reasons.join(' '), remedy }),
  }
}

/** Whether a repetition of a call would send its payment again. */
async function canResend({ ledger }: Guard, paymentId: string): Promise<boolean> {
  const stored = await ledger.readPayment(paymentId).catch(() => null)
  return stored !== null && ledger.find(paymentId)?.answered === false
}

/** Returns how to get the whole of an answer that was cut; null if nothing but a repetition helps. */
function remedyOf(cut: unknown): string | null {
  return isGuardError(cut) || cut instanceof AnswerLimitError ? cut.remedy : null
}

function reasonOf(cut: unknown): string {
  if (cut instanceof AnswerLimitError) return cut.message
  const { code, reason } = describeFault(cut)
  return code === 'TimeoutError' ? 'its end did not come in time' : reason
}

/** Reports a call that was refused or got no answer, and its payment. */
export function describeError(error: unknown): Outcome {
  if (!isGuardError(error)) {
    const { code, reason, remedy } = describeFault(error)
    return { ...NOTHING, code, reason: `The endpoint could not be reached: ${reason}.`, remedy }
  }
  const { code, modelMessage, remedy, flags = [], limit = null, offered = null, profileUrl = null } = error
  const { remaining, resetsAt, payment, moneyMayHaveLeft, transaction = null } = error
  const cause = code === 'NO_ANSWER' ? ` Cause: ${describeFault(error.cause).reason}.` : ''
  return {
    state: payment?.state ?? (moneyMayHaveLeft ? 'sent' : 'none'),
    paymentId: payment?.id ?? error.paymentId ?? null,
    amountUsd: payment?.amountUsd ?? null,
    transaction,
    code,
    reason: `${modelMessage}${cause}`,
    remedy,
    flags,
    limit,
    offered,
    profileUrl,
    chargedUsd: chargedUsd(payment, error.liveCheck),
    ...(error.liveCheck && { liveCheck: toCheck(error.liveCheck) }),
    ...(remaining !== undefined && { remaining }),
    ...(resetsAt !== undefined && { resetsAt }),
  }
}

const toCheck = ({ id: paymentId, amountUsd, state }: Report): CallResult['liveCheck'] => ({
  amountUsd,
  state,
  paymentId,
})

const SPELLING = 'Check the host and the port of the address.'
const LATER = 'Call again later, or use another seller.'

/** Reason and remedy for each code of a failed connection. */
const FAULTS: Record<string, readonly [reason: string, remedy: string]> = {
  ENOTFOUND: ['its name does not resolve', 'Check the spelling of the host; no host has this name.'],
  EAI_AGAIN: ['its name does not resolve at the moment', 'Call again in a moment.'],
  ECONNREFUSED: ['the connection was refused', SPELLING],
  ECONNRESET: ['the connection was lost', LATER],
  UND_ERR_SOCKET: ['the connection was lost', LATER],
  EHOSTUNREACH: ['there is no route to it', SPELLING],
  TimeoutError: ['there was no answer in time', LATER],
  AbortError: ['the call was aborted', 'Call again, and wait for the answer.'],
  REDIRECT_REFUSED: [
    'it redirects to another origin, or too often',
    'Call the target of the redirect directly, if you trust it.',
  ],
  [PRIVATE_ADDRESS]: [
    'the address is not public',
    'Call a public address, or ask the operator to allow this host and port.',
  ],
}
const UNREACHABLE = ['the request failed', 'Check the address, or call again later.'] as const

/** Returns the code of a failed connection and its meaning. Other words of an error may be the seller's. */
function describeFault(error: unknown): { code: string; reason: string; remedy: string } {
  let code = 'UNREACHABLE'
  for (let cause = error, depth = 0; isRecord(cause) && depth < 16; cause = cause.cause, depth++) {
    const name = typeof cause.code === 'string' ? cause.code : String(cause.name)
    if (Object.hasOwn(FAULTS, name) || /^[A-Z][A-Z0-9_]{2,39}$/.test(name)) code = name
  }
  const [reason, remedy] = (Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined) ?? UNREACHABLE
  return { code, reason, remedy }
}
