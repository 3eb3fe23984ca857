import { setTimeout as sleep } from 'node:timers/promises'
import { createGuard } from '@touchstone402/guard'
import { createLogReader } from '@touchstone402/guard/log'
import { LogError, parseSize } from '@touchstone402/shared/log'
import type { Environment } from '../config/storageSettings.ts'
import type { Output } from '../lib/output.ts'
import { readBoundedBytes } from '../lib/readBounded.ts'
import { compareVerify } from '../log/recompute/compareVerify.ts'
import { describeRecomputed, isConsistent } from '../log/recompute/describeRecomputed.ts'
import type { GetFile } from '../log/recompute/fetchDays.ts'
import { NothingToRecomputeError, recomputeLogged } from '../log/recompute/recomputeLogged.ts'
import { readUrl } from '../site/hostName.ts'

type Given = {
  readonly endpoint: string
  readonly service: string | undefined
  readonly key: string | undefined
  readonly witness: readonly string[] | undefined
  readonly quorum: string | undefined
  readonly date: string | undefined
  readonly from: string | undefined
  readonly json: boolean
}

const TIMEOUT_MS = 30_000
/** Largest day that the service serves, and some. */
const MAX_BYTES = 17 * 1024 * 1024
const MAX_WAIT_S = 60
const MAX_WAITS = 10

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
  const { endpoint, url, key, witnesses, quorum, date, from } = readGiven(given, environment)
  const reader = createLogReader({
    url,
    key,
    witnesses,
    ...(quorum !== undefined && { quorum }),
    fetch: patientFetch,
  })
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
  const url = given.service ?? environment.TOUCHSTONE_URL
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Error('--service, or TOUCHSTONE_URL, must be the http or https URL of the service')
  const key = given.key ?? environment.TOUCHSTONE_LOG_KEY
  if (key === undefined) throw new Error('--key, or TOUCHSTONE_LOG_KEY, must be the log key')
  const from = parseSize(given.from ?? '0')
  if (from === undefined) throw new Error('--from must be the index of a leaf')
  const { date } = given
  if (date !== undefined && !/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error('--date must be YYYY-MM-DD')
  const witnesses = given.witness ?? environment.TOUCHSTONE_LOG_WITNESSES?.split(',') ?? []
  return {
    endpoint,
    url: url.replace(/\/+$/, ''),
    key,
    witnesses: witnesses.map((witness) => witness.trim()),
    quorum: given.quorum === undefined ? undefined : Number(given.quorum),
    date,
    from,
  }
}

/** Sends a request again after the pause that the service asks for: a whole log is more than a minute's allowance. */
const patientFetch: typeof fetch = async (input, init) => {
  for (let waits = 0; ; waits++) {
    // A time limit for each try: the pause is not the service's delay.
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    if (response.status !== 429 || waits >= MAX_WAITS || !(seconds <= MAX_WAIT_S)) return response
    await response.body?.cancel()
    await sleep(seconds * 1000)
  }
}

function createGet(url: string): GetFile {
  return async (path) => {
    const response = await patientFetch(`${url}${path}`, { redirect: 'error' })
    if (response.status === 404) return undefined
    if (response.status !== 200) throw new LogError('wrong_tile', `${path} answered ${response.status}`)
    const bytes = await readBoundedBytes(response, MAX_BYTES)
    if (bytes === null) throw new LogError('wrong_tile', `${path} has more than ${MAX_BYTES} bytes`)
    return bytes
  }
}
