import { parseArgs } from 'node:util'
import { canonicalizeUrl, InvalidUrlError, VERDICT_LABELS } from '@touchstone402/shared'
import { createGuard } from '../../seats/createGuard.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readService } from './options.ts'

/** `touchstone check <url>`: the signed verdict of an endpoint. */
export async function check(args: string[], io: Io): Promise<number> {
  const options = { json: { type: 'boolean' }, service: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [given] = positionals
  if (given === undefined || positionals.length > 1)
    throw new UsageError('Give one URL: touchstone check <url>')
  const state = await createGuard({ service: readService(io, values.service) }).verdict(readUrl(given))
  if (values.json) io.out(JSON.stringify(state))
  if (state.state === 'unavailable') {
    if (!values.json) io.out(`Unavailable: ${state.detail}`)
    return EXIT.unknown
  }
  const { verdict } = state
  if (!values.json) {
    const score = verdict.score === undefined ? '' : `, score ${verdict.score}`
    io.out(`${VERDICT_LABELS[verdict.verdict]}${score}, risk ${verdict.riskLevel}`)
    if (verdict.flags.length > 0) io.out(`Flags: ${verdict.flags.join(', ')}`)
    for (const { network, payTo, amountAtomicMax, asset } of verdict.terms) {
      io.out(`Checked terms: up to ${amountAtomicMax} of ${asset} on ${network} to ${payTo}`)
    }
    io.out(`Holds until ${verdict.expiresAt}`)
  }
  return { safe: EXIT.ok, caution: EXIT.caution, avoid: EXIT.avoid, unknown: EXIT.unknown }[verdict.verdict]
}

/** The canonical form of a URL that somebody typed. */
export function readUrl(text: string): string {
  try {
    return canonicalizeUrl(text).key
  } catch (error) {
    if (error instanceof InvalidUrlError) throw new UsageError(`${text}: ${error.message}`)
    throw error
  }
}
