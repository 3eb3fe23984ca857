import { parseArgs } from 'node:util'
import { VERDICT_LABELS } from '@touchstone402/shared'
import { readUrl } from '../../readUrl.ts'
import { createGuard } from '../../seats/createGuard.ts'
import type { CheckedVerdict } from '../../types.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readService } from './options.ts'

/** `touchstone check <url>`: prints the signed verdict of an endpoint. */
export async function check(args: string[], io: Io): Promise<number> {
  const options = { json: { type: 'boolean' }, service: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const endpoint = readEndpoint('check', positionals).key
  const state = await createGuard({ service: readService(io, values.service) }).verdict(endpoint)
  if (values.json) io.out(JSON.stringify(state))
  if (state.state === 'unavailable') {
    if (!values.json) io.out(`Unavailable: ${state.detail}`)
    return EXIT.unknown
  }
  const { verdict } = state
  if (!values.json) {
    io.out(`${VERDICT_LABELS[verdict.verdict]}${describeScore(verdict)}, risk ${verdict.riskLevel}`)
    if (verdict.flags.length > 0) io.out(`Flags: ${verdict.flags.join(', ')}`)
    for (const { network, payTo, amountAtomicMax, asset } of verdict.terms) {
      io.out(`Checked terms: up to ${amountAtomicMax} of ${asset} on ${network} to ${payTo}`)
    }
    io.out(`Expires ${verdict.expiresAt}`)
  }
  return { safe: EXIT.ok, caution: EXIT.caution, avoid: EXIT.avoid, unknown: EXIT.unknown }[verdict.verdict]
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
    throw new UsageError(`Expected one URL: touchstone ${command} <url>`)
  const url = readUrl(given)
  if (typeof url === 'string') throw new UsageError(`${given}: ${url}`)
  return { given, key: url.key }
}
