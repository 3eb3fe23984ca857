import { readFile } from 'node:fs/promises'
import { findNetwork, parseJson } from '@touchstone402/shared'
import { describeAllowance } from '../../errors.ts'
import type { GuardEvent } from '../../events.ts'
import { formatUsd } from '../../formatUsd.ts'
import { createGuard } from '../../integrations/createGuard.ts'
import { REASONS } from '../../reasons.ts'
import { createUpto } from '../../upto/createUpto.ts'
import { createPublicFetch } from '../publicFetch.ts'
import { readContent, writeContent } from '../tools/answerBody.ts'
import { type CallResult, callEndpoint } from '../tools/callEndpoint.ts'
import { describeFlag } from './describeFlag.ts'
import { EXIT, type Io, readEndpoint, UsageError } from './io.ts'
import { loadWallet, openLedger, readPolicy, readRpcUrls, readService } from './options.ts'

const MAX_JSON_BYTES = 1024 * 1024
const REMEDIES = {
  tooLarge: 'Leave out --json: then the whole answer is printed.',
  tooLong: 'Ask the seller for a smaller answer.',
}
/** A free answer may take as long, ms. A person can end the command. */
const TIMEOUT_MS = 300_000

type Given = {
  readonly url: string
  readonly 'max-usd': string | undefined
  readonly method: string | undefined
  readonly header: readonly string[] | undefined
  readonly data: string | undefined
  readonly 'data-binary': string | undefined
  readonly policy: string | undefined
  readonly ledger: string | undefined
  readonly service: string | undefined
  readonly rpc: readonly string[] | undefined
  readonly json: boolean
}

/** `pay <url>`: makes one guarded call and prints the response. */
export async function pay(values: Given, io: Io): Promise<number> {
  const url = readEndpoint(values.url).given
  const { 'max-usd': maxUsd } = values
  const headers = readHeaders(values.header)
  const data = await readData(values, io)
  if (data !== undefined && !headers.has('content-type')) headers.set('content-type', typeOf(data))
  const method = (values.method ?? (data === undefined ? 'GET' : 'POST')).toUpperCase()
  const policy = await readPolicy(values.policy)
  const { account, createGuardedFetch } = await loadWallet(io)
  const service = readService(io, values.service)
  const rpcUrls = readRpcUrls(io, values.rpc)
  const { ledger } = await openLedger(values.ledger, account.address, io)
  try {
    let allowedBy: string | null = null
    const onDecision = (event: GuardEvent) => {
      allowedBy = event.allowedBy
    }
    const guard = createGuard({ account, policy, ledger, service, rpcUrls, upto: createUpto(), onDecision })
    const fetch = createPublicFetch({ allowPrivateHosts: true, timeoutMs: TIMEOUT_MS, env: io.env })
    const send = createGuardedFetch({ account, guard, fetch })
    const call = { url, method, headers, maxUsd, ...(data === undefined ? {} : { body: data }) }
    const read = values.json
      ? readContent({ maxBytes: MAX_JSON_BYTES }, REMEDIES)
      : writeContent(io.write, REMEDIES)
    // Its person may change the policy; a model that calls a tool does not learn how.
    const result = { ...(await callEndpoint({ guard, pay: send }, call, read)), allowedBy }
    if (values.json) io.out(JSON.stringify(result))
    else {
      if (io.isTerminal && result.status !== null) io.out('')
      for (const line of describeResult(result)) io.err(line)
    }
    const { status, isCut, paid } = result
    if (status !== null && status < 300 && !isCut) return EXIT.ok
    return paid ? EXIT.unanswered : EXIT.refused
  } finally {
    await ledger.close()
  }
}

/** Returns the body of the call: as curl, `@file` is the content of a file, and `@-` the standard input. */
async function readData(
  { data, 'data-binary': binary }: Pick<Given, 'data' | 'data-binary'>,
  io: Io,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (data !== undefined && binary !== undefined)
    throw new UsageError('Give --data or --data-binary, not both.')
  const given = data ?? binary
  if (!given?.startsWith('@')) return given === undefined ? undefined : new TextEncoder().encode(given)
  const option = data === undefined ? '--data-binary' : '--data'
  const path = given.slice(1)
  const content = path === '-' ? io.read() : readFile(path)
  const bytes = await content.catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${option}: cannot read ${path} (${cause.code}).`, { cause })
  })
  return Uint8Array.from(data === undefined ? bytes : bytes.filter((byte) => !LINE_BYTES.includes(byte)))
}

/** Carriage return, line feed and NUL, which `--data` of curl removes from files. */
const LINE_BYTES = [13, 10, 0]

/** As curl, except that JSON is detected. */
function typeOf(data: Uint8Array): string {
  try {
    parseJson(new TextDecoder().decode(data))
    return 'application/json'
  } catch {
    return 'application/x-www-form-urlencoded'
  }
}

function readHeaders(lines: readonly string[] = []): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    try {
      // The bytes as curl sends them.
      headers.append(name, Buffer.from(value).toString('latin1'))
    } catch {
      // Not repeated in the message: it may be a credential.
      throw new UsageError("--header: expected 'Name: value'")
    }
  }
  return headers
}

/** Describes the outcome of a call: why it has no answer, the payment or offer, and the remedy. */
function describeResult(result: CallResult & { allowedBy: string | null }): string[] {
  const { state, amountUsd, paymentId, transaction, code, reason, remedy, flags, offered } = result
  const { remaining, resetsAt, limit, dayRemainingUsd, profileUrl, liveCheck, allowedBy } = result
  const isRefusal = code !== null && Object.hasOwn(REASONS, code) && state === 'none'
  const head = code === null ? '' : `${isRefusal ? 'Refused' : 'Failed'} (${code}): `
  const lines = reason === null ? [] : [head + reason]
  if (isRefusal && offered !== null) {
    const { amountUsd: price, network, payTo } = offered
    lines.push(`Offered: ${formatUsd(price)} on ${findNetwork(network)?.label ?? network} to ${payTo}`)
  }
  if (limit !== null) {
    const [most, left] =
      typeof limit === 'number'
        ? [`${limit} payments in a minute`, remaining]
        : [formatUsd(limit), formatUsd(remaining ?? '0')]
    lines.push(`Limit: ${most}, ${left} left${resetsAt === null ? '' : `, next reset ${resetsAt}`}`)
  }
  lines.push(...flags.map((flag) => `- ${describeFlag(flag)}`))
  const left = dayRemainingUsd === null ? '' : `; ${formatUsd(dayRemainingUsd)} left of the daily budget`
  const where = transaction === null ? 'settlement not confirmed' : `transaction ${transaction}`
  if (state === 'none' && !isRefusal) lines.push('Nothing was paid.')
  if (state !== 'none' && code === null) lines.push(`Paid ${formatUsd(amountUsd ?? '0')}, ${where}${left}.`)
  if (liveCheck !== null) lines.push(`A live check was bought for ${formatUsd(liveCheck.amountUsd)}.`)
  if (paymentId !== null && reason !== null) lines.push(`Payment: ${paymentId}`)
  if (remedy !== null) lines.push(`What to do: ${remedy}`)
  if (allowedBy !== null) lines.push(describeAllowance(allowedBy))
  if (profileUrl !== null) lines.push(`Profile: ${profileUrl}`)
  return lines
}
