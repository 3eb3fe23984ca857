import { setTimeout as sleep } from 'node:timers/promises'
import { LogError } from '@touchstone402/transparency'
import type { Environment } from '../config/storageSettings.ts'
import { readBoundedBytes } from '../lib/readBounded.ts'
import type { GetFile } from '../log/recompute/fetchDays.ts'

/** Options that name a service and its log. */
export type LogServiceOptions = {
  readonly service: string | undefined
  readonly key: string | undefined
  readonly witness: readonly string[] | undefined
  readonly quorum: string | undefined
}

const TIMEOUT_MS = 30_000
/** Largest day that the service serves, and some. */
const MAX_BYTES = 17 * 1024 * 1024
const MAX_WAIT_S = 60
const MAX_WAITS = 10

/** Reads which service and log a command asks. @throws Error that names the wrong option */
export function readLogService(given: LogServiceOptions, environment: Environment) {
  const url = readService(given.service, environment)
  const key = given.key ?? environment.TOUCHSTONE_LOG_KEY
  if (key === undefined) throw new Error('--key, or TOUCHSTONE_LOG_KEY, must be the log key')
  const witnesses = given.witness ?? environment.TOUCHSTONE_LOG_WITNESSES?.split(',') ?? []
  return {
    url,
    key,
    witnesses: witnesses.map((witness) => witness.trim()),
    ...(given.quorum !== undefined && { quorum: Number(given.quorum) }),
  }
}

/** Reads which service a command asks. @throws Error */
export function readService(service: string | undefined, environment: Environment): string {
  const url = service ?? environment.TOUCHSTONE_URL
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Error('--service, or TOUCHSTONE_URL, must be the http or https URL of the service')
  return url.replace(/\/+$/, '')
}

/** Reads the option `--date`. @throws Error */
export function readDate(date: string | undefined): string | undefined {
  if (date !== undefined && !/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error('--date must be YYYY-MM-DD')
  return date
}

/** Sends a request again after the pause that the service asks for: a whole log is more than a minute's allowance. */
export const patientFetch: typeof fetch = async (input, init) => {
  for (let waits = 0; ; waits++) {
    // A time limit for each try: the pause is not the service's delay.
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    if (response.status !== 429 || waits >= MAX_WAITS || !(seconds <= MAX_WAIT_S)) return response
    await response.body?.cancel()
    await sleep(seconds * 1000)
  }
}

/** Creates the reader of the service's files. */
export function createGet(url: string): GetFile {
  return async (path) => {
    const response = await patientFetch(`${url}${path}`, { redirect: 'error' })
    if (response.status === 404) return undefined
    if (response.status !== 200) throw new LogError('wrong_tile', `${path} answered ${response.status}`)
    const bytes = await readBoundedBytes(response, MAX_BYTES)
    if (bytes === null) throw new LogError('wrong_tile', `${path} has more than ${MAX_BYTES} bytes`)
    return bytes
  }
}
