import { createLogReader } from '@touchstone402/guard/log'
import { type AccuracyPeriod, ReportFeedSchema } from '@touchstone402/shared'
import { LogError } from '@touchstone402/transparency'
import * as z from 'zod/mini'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { describeRecomputedAccuracy, isAccurate } from '../log/recompute/describeAccuracy.ts'
import { recomputeAccuracy } from '../log/recompute/recomputeAccuracy.ts'
import { NothingToRecomputeError } from '../log/recompute/recomputeLogged.ts'
import { createGet, type LogServiceOptions, patientFetch, readDate, readLogService } from './logService.ts'

type Given = LogServiceOptions & {
  readonly after: string
  readonly date: string | undefined
  readonly json: boolean
}

/**
 * `log recompute accuracy`: counts the outcomes of one day's verdicts again from the public log. Needs no data folder.
 * @returns the exit code: 0 if nothing differs, 1 if something does or is refused, 2 if nothing can be recomputed
 * @throws Error that names the wrong option
 */
export async function runLogRecomputeAccuracy(
  given: Given,
  environment: Environment,
  { out, err }: Output,
): Promise<number> {
  const service = readLogService(given, environment)
  const get = createGet(service.url)
  const afterDays = Number(given.after) as AccuracyPeriod
  const readReports = async (since: string) => {
    const body = await get(`/reports.json?since=${since}`)
    const read = z.safeParse(ReportFeedSchema, JSON.parse(body?.toString() ?? 'null'))
    if (!read.success) throw new LogError('malformed_leaf', '/reports.json is not a list of reports')
    return read.data.series
  }
  try {
    const reader = createLogReader({ ...service, fetch: patientFetch })
    const date = readDate(given.date)
    const result = await recomputeAccuracy({ reader, get, readReports, afterDays, date })
    const isEqual = isAccurate(result)
    out(`${given.json ? JSON.stringify({ isEqual, ...result }) : describeRecomputedAccuracy(result)}\n`)
    return isEqual ? 0 : 1
  } catch (error) {
    if (!(error instanceof LogError || error instanceof NothingToRecomputeError)) throw error
    const code = error instanceof LogError ? error.code : 'nothing_to_recompute'
    if (given.json) out(`${JSON.stringify({ isEqual: false, code, message: error.message })}\n`)
    else err(`touchstone-server: ${code}: ${error.message}\n`)
    return error instanceof LogError ? 1 : 2
  }
}
