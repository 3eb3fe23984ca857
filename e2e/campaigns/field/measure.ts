import { asObject, canonicalizeUrl, isTemplate } from '@touchstone402/shared'
import type { Crawled, Found } from './crawlField.ts'
import type { OfficialForm } from './officialForms.ts'
import type { FieldListing, Row } from './readListings.ts'

/** A listing or a form that is not Safe, with the reason. */
export type NotSafe = {
  readonly resource: string
  readonly verdict: string
  readonly flags: readonly string[]
  readonly reason: string
}

/** Figures of the listings. Rejected ones are counted by reason: skipped by the adapter, or not decoded. */
export type FieldFigures = {
  readonly items: number
  readonly decoded: number
  readonly rejected: number
  /** Decoded, with an offer on a network other than a test network. */
  readonly payable: number
  readonly safe: number
  readonly caution: number
  readonly avoid: number
  readonly unknown: number
  /** Rejected though the listing states an amount, and a URL that can be asked. */
  readonly rejectedWithAmount: number
  readonly byReason: Readonly<Record<string, number>>
  readonly notSafe: readonly NotSafe[]
}

const isDecoded = ({ probes }: Found) => probes.some(({ cause }) => cause === 'challenge')

/** Whether each entry of a listing states an amount. */
function hasAmount({ accepts }: Row): boolean {
  const entries = Array.isArray(accepts) ? accepts.map(asObject) : []
  return (
    entries.length > 0 && entries.every((entry) => /\d/.test(`${entry?.amount ?? entry?.maxAmountRequired}`))
  )
}

/** Whether a URL can be asked: a valid one over HTTP that is no template. */
function isAskable(url: string): boolean {
  try {
    return !isTemplate(canonicalizeUrl(url).key)
  } catch {
    return false
  }
}

/** Counts verdicts of the listings. */
export function measureListings(listings: readonly FieldListing[], crawled: Crawled): FieldFigures {
  const byReason: Record<string, number> = { ...crawled.skipped }
  const verdicts = { safe: 0, caution: 0, avoid: 0, unknown: 0 }
  const notSafe: NotSafe[] = []
  let decoded = 0
  let rejectedWithAmount = 0
  let onTestnet = 0
  for (const [index, found] of crawled.listings.entries()) {
    const { state } = found
    const { resource = '', row = {} } = listings[index] ?? {}
    const reason = isDecoded(found) || hasAmount(row) ? explain(found) : 'amount_missing'
    if (isDecoded(found)) decoded++
    else if (hasAmount(row) && isAskable(resource)) rejectedWithAmount++
    if (state === undefined) continue
    if (!isDecoded(found)) byReason[reason] = (byReason[reason] ?? 0) + 1
    const { verdict, flags } = state
    verdicts[verdict]++
    if (flags.includes('network_testnet')) onTestnet++
    if (verdict !== 'safe') {
      notSafe.push({ resource, verdict, flags, reason })
    }
  }
  const items = listings.length
  const payable = decoded - onTestnet
  const rejected = items - decoded
  return { items, decoded, rejected, payable, ...verdicts, rejectedWithAmount, byReason, notSafe }
}

/** A form whose verdict is not one of the right ones. */
export type WrongForm = NotSafe & { readonly right: readonly string[] }

/** Returns the forms with a wrong verdict. */
export function findWrongForms(forms: readonly OfficialForm[], crawled: Crawled): WrongForm[] {
  return forms.flatMap(({ name, right }, index) => {
    const found = crawled.forms[index]
    const verdict = found?.state?.verdict ?? 'unknown'
    if (found === undefined || right.includes(verdict)) return []
    return [{ resource: name, verdict, flags: found.state?.flags ?? [], reason: explain(found), right }]
  })
}

/** Returns why an endpoint is not Safe: the findings of the judge, else the last probe. */
function explain({ state, probes }: Found): string {
  const last = probes.at(-1)
  if (state === undefined || last === undefined) return 'not probed'
  if (last.cause !== 'challenge') return last.problems.join(', ') || last.cause
  return state.reasons.map(({ message }) => message).join(' ') || `score ${state.score}`
}
