import { request } from 'node:http'
import { OPERATOR_HEADER } from '../proxy/messages.ts'
import {
  createNonce,
  createProofs,
  GREETING_PATH,
  isEqualText,
  NONCE_HEADER,
  PROOF_HEADER,
} from '../proxy/operatorProofs.ts'
import { UsageError } from './io.ts'

/** A running proxy, as its folder describes it. */
export type Place = {
  /** A URL, or the path of a socket. */
  address: string
  /** The operator's secret. */
  secret: string
}

const TIMEOUT_MS = 10_000
/** Far more than a hundred questions for each of a dozen tasks, or a body of 4 MiB in Base64. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Sends a command to a proxy. The listener proves first that it has the operator's secret, which is not sent; the proof
 * of the command holds for this command alone, and the answer is proven too.
 * @throws UsageError if the listener is not the proxy, or does not answer
 */
export async function askOperator(
  { address, secret }: Place,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ status: number; data: unknown }> {
  const proofs = createProofs(secret, address)
  const client = createNonce()
  const greeting = await send(address, 'POST', GREETING_PATH, { [NONCE_HEADER]: client })
  const { nonce, proof } = readGreeting(greeting.body)
  const nonces = { client, server: nonce }
  if (!isEqualText(proof, proofs.ofGreeting(nonces))) throw notTheProxy(address)
  const header = `${client} ${nonce} ${proofs.ofCommand(nonces, { method, path })}`
  const { status, body, proof: given } = await send(address, method, path, { [OPERATOR_HEADER]: header })
  if (!isEqualText(given, proofs.ofAnswer(nonces, status, body))) throw notTheProxy(address)
  return { status, data: JSON.parse(body) }
}

/** Returns the password of the page of a running proxy, which holds until the proxy ends. */
export async function readPagePassword(place: Place): Promise<string> {
  const { status, data } = await askOperator(place, 'GET', '/operator/page')
  if (status !== 200) throw new UsageError(`There is no page at ${place.address}.`)
  const { start } = data as { start: string }
  return createProofs(place.secret, place.address).ofPage(start)
}

const notTheProxy = (address: string) =>
  new UsageError(
    `NOT_THE_PROXY: what listens at ${address} cannot prove that it is the proxy. No secret was sent to it, and nothing was approved. Start the proxy again, at another port if this one is taken.`,
  )

function readGreeting(body: string): { nonce: string; proof: string } {
  try {
    const { nonce, proof } = JSON.parse(body)
    return { nonce: /^[\w.-]{1,200}$/.test(nonce) ? nonce : '', proof: String(proof) }
  } catch {
    return { nonce: '', proof: '' }
  }
}

type Answer = { status: number; body: string; proof: string }

function send(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const isUrl = address.startsWith('http')
  const url = new URL(path, isUrl ? address : 'http://localhost')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const where = { method, headers, signal, agent: false, ...(!isUrl && { socketPath: address }) }
  return new Promise((answered, failed) => {
    const fail = () => failed(new UsageError(`The proxy at ${address} does not answer.`))
    const asked = request(url, where, async (response) => {
      try {
        let body = ''
        for await (const chunk of response.setEncoding('utf8')) {
          body += chunk
          if (body.length > MAX_BYTES) return fail()
        }
        const proof = String(response.headers[PROOF_HEADER] ?? '')
        answered({ status: response.statusCode ?? 0, body, proof })
      } catch {
        fail()
      }
    })
    asked.on('error', fail).end()
  })
}
