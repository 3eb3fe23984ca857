import { parseArgs } from 'node:util'
import { findNetwork, formatUnits, sameAddress, USDC_DECIMALS, VERDICT_LABELS } from '@touchstone402/shared'
import { readUrl } from '../../readUrl.ts'
import { createGuard } from '../../seats/createGuard.ts'
import type { CheckedTerm, CheckedVerdict } from '../../types.ts'
import { describeFlag } from './flagSentences.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readService } from './options.ts'

/** `check <url>`: prints the signed verdict of an endpoint. */
export async function check(args: string[], io: Io): Promise<number> {
  const options = { json: { type: 'boolean' }, service: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const endpoint = readEndpoint('check', positionals).key
  const state = await createGuard({ service: readService(io, values.service) }).verdict(endpoint)
  if (state.state === 'unavailable') {
    io.out(values.json ? JSON.stringify({ endpoint, ...state }) : `Unavailable: ${state.detail}`)
    return EXIT.unknown
  }
  const { verdict } = state
  const why = verdict.flags.map(describeFlag)
  const terms = verdict.terms.map((term) => ({ ...term, maxUsd: toUsd(term) }))
  if (values.json) io.out(JSON.stringify({ endpoint, ...state, why, terms }))
  else {
    io.out(`${VERDICT_LABELS[verdict.verdict]}${describeScore(verdict)}, risk ${verdict.riskLevel}`)
    for (const line of why) io.out(`- ${line}`)
    if (why.length === 0 && verdict.verdict === 'avoid') io.out('- Its score is too low.')
    for (const { maxUsd, network, payTo, amountAtomicMax, asset } of terms) {
      const amount = maxUsd === null ? `${amountAtomicMax} of ${asset}` : `$${maxUsd} in USDC`
      io.out(`Checked terms: up to ${amount} on ${findNetwork(network)?.label ?? network} to ${payTo}`)
    }
    io.out(`Expires ${verdict.expiresAt}`)
  }
  return { safe: EXIT.ok, caution: EXIT.caution, avoid: EXIT.avoid, unknown: EXIT.unknown }[verdict.verdict]
}

/** Returns the maximum of a term in dollars; null if its asset is not USDC. */
function toUsd({ network, asset, amountAtomicMax }: CheckedTerm): string | null {
  const usdc = findNetwork(network)?.usdc
  if (usdc === undefined || !sameAddress(usdc, asset)) return null
  return formatUnits(BigInt(amountAtomicMax), USDC_DECIMALS)
}

/** A score is a mark of quality only where the verdict is safe; flags may have overruled it elsewhere. */
function describeScore({ verdict, score }: CheckedVerdict): string {
  if (score === undefined) return ''
  return verdict === 'safe' ? `, score ${score}` : ` (evidence ${score})`
}

/**
 * Parses the one URL argument of a command.
 * @throws UsageError
 */
export function readEndpoint(command: string, [given, ...others]: string[]): { given: string; key: string } {
  if (given === undefined || others.length > 0)
    throw new UsageError(`Expected one URL: npx @touchstone402/guard ${command} <url>`)
  const url = readUrl(given)
  if (typeof url === 'string') throw new UsageError(`${given}: ${url}`)
  return { given, key: url.key }
}
