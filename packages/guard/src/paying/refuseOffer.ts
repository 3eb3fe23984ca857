import { isRecord } from '@touchstone402/shared'
import { allowanceOf } from '../decide/allowance.ts'
import type { LedgerView } from '../decide/budget.ts'
import { escapeText } from '../decide/escapeText.ts'
import { explainQuestion } from '../decide/explainQuestion.ts'
import { explainScreened } from '../decide/explainScreened.ts'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import type { Screened } from '../decide/screen.ts'
import type { GuardError, Report } from '../errors.ts'
import type { ReasonCode } from '../reasons.ts'
import type { Approval } from './approvals.ts'
import { type GuardContext, type Refused, refuse } from './guardContext.ts'
import { type JudgedCall, type Judgement, lookAgain } from './judge.ts'
import { explainLimit, limitFacts } from './limitFacts.ts'
import type { ReadCall } from './readCall.ts'

/** Remedy where a live check was tried and failed. */
const LIVE_CHECK_FAILED = 'Pay less at first, retry later, or use another seller.'

/** Refuses a call, and says what would allow it. @param view of the chosen offer. @default none was chosen */
export function refuseCall(
  context: GuardContext,
  code: ReasonCode,
  { facts, ...call }: Refused,
  view?: LedgerView,
): GuardError {
  const allowedBy = facts?.allowedBy ?? allowanceOf(code, { policy: context.policy, ...call, view })
  return refuse(context, code, {
    ...call,
    facts: { ...facts, ...(allowedBy !== undefined && { allowedBy }) },
  })
}

/** Refuses a call whose offers the policy alone refuses. */
export function refuseScreened(
  context: GuardContext,
  screened: Screened,
  challenge: FullChallenge,
  call: Refused,
): GuardError {
  const { details, ...facts } = explainScreened(screened, context.policy, challenge)
  return refuseCall(context, screened.code, { ...call, details, facts })
}

/** Refuses a call that the wallet did not sign, and keeps what the signer says for the developer. */
export function refuseUnsigned(
  context: GuardContext,
  open: Approval | undefined,
  cause: unknown,
): GuardError {
  const { intent, verdict } = open ?? {}
  return refuseCall(context, 'WALLET_REFUSED', {
    intent,
    verdict,
    cause,
    forDeveloper: describeSigner(cause),
  })
}

const MAX_CHARACTERS = 200
const SECRETS: readonly RegExp[] = [
  // Credentials and query of a URL.
  /(:\/\/)[^\s/?#@]*@/g,
  /([?#])\S+/g,
  /((?:key|token|secret|password|authorization|bearer)\w*["']?[\s:=]+["']?(?:bearer |basic )?)[^\s"',;]+/gi,
  // A word long enough to be a key: hexadecimal, base64, JWT, or a URL whose path may hold one.
  /()(?=[\w+/=.-]*\d)[\w+/=.-]{24,}/g,
]

/** Quotes the error of a signer for a developer: escaped, bounded, and without words that may be secrets. */
export function describeSigner(error: unknown): string {
  const said = isRecord(error) ? error.message : error
  if (typeof said !== 'string' || said === '') return 'The signer threw an error without a message.'
  const shown = SECRETS.reduce((text, secret) => text.replace(secret, '$1…'), said.slice(0, 2_000))
  const quoted = escapeText(shown)
  return `The signer says: ${quoted.length > MAX_CHARACTERS ? `${quoted.slice(0, MAX_CHARACTERS)}…` : quoted}`
}

/** Refuses a call after its offers were judged. */
export function refuseJudged(
  context: GuardContext,
  call: ReadCall,
  judged: Judgement,
  code: ReasonCode,
): GuardError {
  const { intent, verdict, state, tried, liveCheck } = judged
  const lacking = { ...(state?.state === 'unavailable' && state), tried, liveCheck }
  const of = { ...call.facts, intent, verdict }
  return refuseOffer(context, code, of, { ...lookAgain(context, call, judged), ...lacking })
}

/** Why a call has no verdict. */
type Lacking = {
  /** Why there is none, and what to do. */
  detail?: string
  remedy?: string
  /** Why a live check gave none. */
  tried?: string | undefined
  liveCheck?: Report | undefined
}

/** Refuses a call with the figures behind it. */
function refuseOffer(
  context: GuardContext,
  code: ReasonCode,
  call: Pick<Refused, 'endpoint' | 'method' | 'traceparent' | 'intent' | 'verdict'>,
  { query, decision, view, detail, remedy, tried, liveCheck, ...judged }: JudgedCall & Lacking,
): GuardError {
  const bought = liveCheck && { liveCheck }
  if (tried !== undefined) {
    const facts = { remedy: LIVE_CHECK_FAILED, ...bought }
    return refuseCall(context, code, {
      ...call,
      facts,
      details: `A live check was tried: ${tried}`,
    })
  }
  const { usdMicros } = decision.chosen
  const now = context.now()
  const summary = context.ledger.summary(now)
  const { limits } = judged
  const { struckUntil } = view
  const limit = limitFacts(code, {
    ...query,
    policy: context.policy,
    limits,
    summary,
    usdMicros,
    struckUntil,
    now,
  })
  // An approved payment may be refused by a limit.
  const isQuestion = decision.outcome === 'ask' && decision.code === code
  const { details: values, allowedBy } = isQuestion ? explainQuestion(decision, { ...judged, view }) : {}
  const facts = { ...limit, ...bought, ...(remedy && { remedy }), ...(allowedBy && { allowedBy }) }
  const details = explainLimit(usdMicros, query.host, limit) ?? detail ?? values
  return refuseCall(context, code, { ...call, facts, details }, view)
}
