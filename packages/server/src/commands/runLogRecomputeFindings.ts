import { LogError } from '@touchstone402/transparency'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { type RecomputedFinding, recomputeFindings } from '../log/recompute/recomputeFinding.ts'
import { readUrl } from '../site/hostName.ts'
import { createGet, readService } from './logService.ts'

type Given = { readonly endpoint: string; readonly service: string | undefined; readonly json: boolean }

/**
 * `log recompute findings URL`: applies the rules of an endpoint's findings to the probes that they cite, on the same day.
 * Needs no data folder.
 * @returns the exit code: 0 if each finding holds, 1 if one does not or is refused, 2 if nothing can be recomputed
 * @throws Error that names the wrong option
 */
export async function runLogRecomputeFindings(
  given: Given,
  environment: Environment,
  { out, err }: Output,
): Promise<number> {
  const endpoint = readUrl(given.endpoint)?.key
  if (endpoint === undefined)
    throw new Error('log recompute findings takes one URL, such as https://api.example.com/weather')
  const get = createGet(readService(given.service, environment))
  try {
    const body = await get(`/findings?endpoint=${encodeURIComponent(endpoint)}`)
    const findings = body === undefined ? [] : recomputeFindings(JSON.parse(`${body}`))
    const known = findings.filter(({ holds }) => holds !== null)
    const isEqual = known.every(({ holds }) => holds === true)
    out(given.json ? `${JSON.stringify({ isEqual, endpoint, findings })}\n` : findings.map(describe).join(''))
    if (known.length === 0) err('touchstone-server: no finding of this endpoint can be recomputed\n')
    return known.length === 0 ? 2 : isEqual ? 0 : 1
  } catch (error) {
    if (!(error instanceof LogError || error instanceof SyntaxError)) throw error
    err(`touchstone-server: ${error.message}\n`)
    return 1
  }
}

function describe({ code, holds, probes, identities, isTimed }: RecomputedFinding): string {
  const result = holds === null ? 'not recomputed' : holds ? 'holds' : 'does not hold'
  const times = isTimed ? '' : '; times are not published yet, the order is'
  return `${code}: ${result} (${probes} probes, ${identities} client identities${times})\n`
}
