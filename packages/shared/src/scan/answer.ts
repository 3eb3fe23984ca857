import { type Challenge, decodeChallenge, X402_HEADERS } from '../x402.ts'

/** One unpaid answer of an endpoint. */
export type ScanAnswer = {
  readonly method: 'GET' | 'POST'
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Null if it is absent or too large to read. */
  readonly body: string | null
}

/** The unpaid answers of an endpoint, in the order of asking. */
export type ScannedTerms = {
  readonly answers: readonly ScanAnswer[]
  /** The first 402; without one, the answer that explains it best. */
  readonly answer: ScanAnswer | null
  /** Null without a 402. */
  readonly challenge: Challenge | null
}

/** Statuses after which an endpoint may still ask for payment by another method. */
const OTHER_METHOD = new Set([400, 404, 405, 415, 422, 501])
/** Statuses of a server that does not serve a method. */
const NO_METHOD = new Set([404, 405, 501])

/**
 * Asks an endpoint for its terms, unpaid: by GET, then by POST with an empty object where GET is not answered with 402.
 * @param ask sends one request. Whatever it throws is passed on
 */
export async function askForTerms(
  ask: (method: ScanAnswer['method']) => Promise<ScanAnswer>,
): Promise<ScannedTerms> {
  const first = await ask('GET')
  const answers = OTHER_METHOD.has(first.status) ? [first, await ask('POST')] : [first]
  const asking = answers.find(({ status }) => status === 402)
  const other = answers.find(({ status }) => !NO_METHOD.has(status)) ?? first
  if (asking === undefined) return { answers, answer: other, challenge: null }
  const challenge = decodeChallenge({
    header: asking.headers[X402_HEADERS.required.toLowerCase()] ?? null,
    body: asking.body,
    authenticate: asking.headers['www-authenticate'],
  })
  return { answers, answer: asking, challenge }
}
