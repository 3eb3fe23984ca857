import { createGuard } from '@touchstone402/guard'
import { createLogReader } from '@touchstone402/guard/log'
import { LogError, parseSize } from '@touchstone402/transparency'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { compareVerify } from '../log/recompute/compareVerify.ts'
import { describeRecomputed, isConsistent } from '../log/recompute/describeRecomputed.ts'
import { NothingToRecomputeError, recomputeLogged } from '../log/recompute/recomputeLogged.ts'
import { readUrl } from '../site/hostName.ts'
import { createGet, type LogServiceOptions, patientFetch, readDate, readLogService } from './logService.ts'

type Given = LogServiceOptions & {
  readonly endpoint: string
  readonly date: string | undefined
  readonly from: string | undefined
  readonly json: boolean
}

/**
 * `log recompute ENDPOINT`: recomputes a logged decision from published probes. Needs no data folder.
 * @returns the exit code: 0 if nothing differs, 1 if something does or is refused, 2 if nothing can be recomputed
 * @throws Error that names the wrong option
 */
export async function runLogRecompute(
  given: Given,
  environment: Environment,
  { out, err }: Output,
): Promise<number> {
  const { json: isJson } = given
  const { endpoint, service, date, from } = readGiven(given, environment)
  const { url } = service
  const reader = createLogReader({ ...service, fetch: patientFetch })
  try {
    const result = await recomputeLogged({ reader, get: createGet(url), endpoint, date, from })
    const guard = createGuard({ service: { url, fetch: patientFetch } })
    const verify = compareVerify(await guard.verdict(endpoint), result)
    const isEqual = isConsistent(result, verify)
    const text = isJson ? JSON.stringify({ isEqual, ...result, verify }) : describeRecomputed(result, verify)
    out(`${text}\n`)
    return isEqual ? 0 : 1
  } catch (error) {
    if (!(error instanceof LogError || error instanceof NothingToRecomputeError)) throw error
    const code = error instanceof LogError ? error.code : 'nothing_to_recompute'
    if (isJson) out(`${JSON.stringify({ isEqual: false, code, message: error.message })}\n`)
    else err(`touchstone-server: ${code}: ${error.message}\n`)
    return error instanceof LogError ? 1 : 2
  }
}

function readGiven(given: Given, environment: Environment) {
  const endpoint = readUrl(given.endpoint)?.key
  if (endpoint === undefined)
    throw new Error('log recompute takes one URL, such as log recompute https://api.example.com/weather')
  const service = readLogService(given, environment)
  const from = parseSize(given.from ?? '0')
  if (from === undefined) throw new Error('--from must be the index of a leaf')
  return { endpoint, service, date: readDate(given.date), from }
}
