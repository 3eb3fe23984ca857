import { findNetwork, formatUsdc, sameAddress, VERDICT_LABELS } from '@touchstone402/shared'
import { standingOf } from '../../decide/standing.ts'
import { formatUsd } from '../../formatUsd.ts'
import { createGuard } from '../../integrations/createGuard.ts'
import type { CheckedTerm, CheckedVerdict, VerdictState } from '../../types.ts'
import { isLacking } from '../../verdicts/mapVerdicts.ts'
import { describeFlag } from './describeFlag.ts'
import { EXIT, type Io, readEndpoint } from './io.ts'
import { readPolicy, readService } from './options.ts'

type Given = {
  readonly url: string
  readonly policy: string | undefined
  readonly service: string | undefined
  readonly json: boolean
}

/** `check <url>`: prints the signed verdict of an endpoint, or without a service what this machine finds. */
export async function check(values: Given, io: Io): Promise<number> {
  const { given, key: endpoint } = readEndpoint(values.url)
  const policy = await readPolicy(values.policy)
  const service = readService(io, values.service)
  if (service === undefined) {
    // Apart from the rest, which needs none of its tables.
    const { checkHere } = await import('./scan.ts')
    return checkHere(given, endpoint, io, { policy, json: values.json })
  }
  const state = await createGuard({ service }).verdict(endpoint)
  const askForReasons = service.mode === 'map' ? 'ask without TOUCHSTONE_MODE=map' : null
  return printVerdict(io, endpoint, state, { json: values.json, askForReasons })
}

/** How a verdict is printed. */
type Printing = {
  json: boolean
  /** Where to ask for the reasons of a verdict of the map, which holds none; null for a verdict of the service. */
  askForReasons: string | null
}

/** Prints the verdict on an endpoint. Returns the exit code. */
export function printVerdict(io: Io, endpoint: string, state: VerdictState, how: Printing): number {
  const { json, askForReasons } = how
  if (state.state === 'unavailable') {
    io.out(json ? JSON.stringify({ endpoint, ...state }) : `Unavailable: ${state.detail}`)
    return EXIT.unknown
  }
  const { verdict } = state
  const why = verdict.flags.map(describeFlag)
  const terms = verdict.terms.map((term) => ({ ...term, maxUsd: toUsd(term) }))
  if (json) io.out(JSON.stringify({ endpoint, ...state, why, terms }))
  else {
    const isMissing = askForReasons !== null && isLacking(state)
    io.out(isMissing ? 'Unknown: the map holds no verdict on it' : describeHead(verdict))
    for (const line of why) io.out(`- ${line}`)
    const reason = why.length > 0 || isMissing ? null : describeReason(verdict, askForReasons)
    if (reason !== null) io.out(`- ${reason}`)
    // Equal terms of both protocol versions are one line.
    for (const line of new Set(terms.map(describeTerm))) io.out(line)
    io.out(`Expires ${verdict.expiresAt}`)
  }
  return { safe: EXIT.ok, caution: EXIT.caution, avoid: EXIT.avoid, unknown: EXIT.unknown }[
    standingOf(verdict)
  ]
}

/** A score is a mark of quality only where the verdict is safe; flags may have overruled it elsewhere. */
function describeHead({ verdict, score, riskLevel }: CheckedVerdict): string {
  const shown = verdict === 'safe' && score !== undefined ? `, score ${score}` : ''
  return `${VERDICT_LABELS[verdict]}${shown}, risk ${riskLevel}`
}

/** Describes the reason of a verdict without flags; null if none is known. */
function describeReason({ verdict, checkedAt }: CheckedVerdict, ask: string | null): string | null {
  if (verdict === 'safe') return null
  if (ask !== null) return `The map gives no reasons; ${ask}.`
  if (verdict === 'avoid') return 'Its score is too low.'
  if (verdict !== 'unknown') return null
  return checkedAt === null
    ? 'It was never measured.'
    : `It has too little recent evidence; last measured ${checkedAt}.`
}

function describeTerm(term: CheckedTerm & { maxUsd: string | null }): string {
  const { maxUsd, network, payTo, amountAtomicMax, asset, method } = term
  const amount = maxUsd === null ? `${amountAtomicMax} of ${asset}` : `${formatUsd(maxUsd)} in USDC`
  const call = method === 'GET' ? '' : `${method}, `
  return `Checked terms: ${call}up to ${amount} on ${findNetwork(network)?.label ?? network} to ${payTo}`
}

/** Returns the maximum of a term in dollars; null if its asset is not USDC. */
function toUsd({ network, asset, amountAtomicMax }: CheckedTerm): string | null {
  const usdc = findNetwork(network)?.usdc
  if (usdc === undefined || !sameAddress(usdc, asset)) return null
  return formatUsdc(BigInt(amountAtomicMax))
}
