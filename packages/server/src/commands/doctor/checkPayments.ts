import { randomBytes } from 'node:crypto'
import { encodeBase64Json, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { openChain } from '../../chain/openChain.ts'
import type { Config } from '../../config/config.ts'
import { messageOf } from '../../lib/errors.ts'
import { createFacilitator, FACILITATOR_LIMITS, type FacilitatorCall } from '../../payments/facilitator.ts'
import { UNREADABLE_REASON } from '../../payments/facilitatorAnswers.ts'
import { readPayment } from '../../payments/readPayment.ts'
import { createTerms } from '../../payments/terms.ts'
import { checkChain } from '../../services/health/checkChain.ts'
import { watchFacilitator } from '../../services/health/checkFacilitator.ts'
import type { RpcHead } from '../../services/health/readRpc.ts'
import { askHealth, type Check, fail, ok, type Verdict, warn } from './finding.ts'

/** Difference of clocks in seconds that is worth a word, and from which on payments and expiry go wrong. */
const NOTED_SECONDS = 5
const WRONG_SECONDS = 30

/** Lists the checks of what payments need: the chain, the facilitator, and a clock that agrees with both. */
export function checkPayments(config: Config): Check[] {
  const { rpcUrls } = config
  return [
    ...rpcUrls.map((url, index) => ({
      name: rpcUrls.length > 1 ? `chain ${index + 1}` : 'chain',
      run: () => askChain(url, config),
    })),
    { name: 'facilitator', run: () => askFacilitator(config) },
    { name: 'clock', run: (signal) => compareWithFacilitator(config, signal) },
  ]
}

/** Asks one RPC what the running service asks, and compares the clock with its newest block. Never rejects. */
async function askChain(url: string, { network, dataDir: folder }: Config): Promise<Verdict> {
  const chainId = Number(network.slice('eip155:'.length))
  const chain = await openChain({ chainId, urls: [url], folder, warmTokens: [] }, null, () => {})
  const check = checkChain({ chain, now: Date.now })
  const wrong = await askHealth(check)
  void chain.close()
  if (wrong !== null) return { ...wrong, text: `RPC_URLS: ${wrong.text}; NETWORK is ${network}` }
  return describeHead(`${new URL(url).host} is on chain ${chainId}`, check.heads()[0])
}

/** No chain is ahead of the time, so a block from the future shows a clock that is behind. */
export function describeHead(place: string, head: RpcHead | undefined): Verdict {
  if (head === undefined) return fail(`${place}, and gives no block: use another RPC`)
  const seconds = Math.round((head.readAtMs - head.atMs) / 1000)
  const text = `${place}, block ${head.number}`
  if (seconds < -WRONG_SECONDS)
    return fail(`${text} is ${-seconds} s in the future: set this machine's clock, by NTP`)
  return ok(`${text}, ${Math.max(0, seconds)} s old`)
}

/** Compares the clock with the facilitator's, by which payments expire. */
async function compareWithFacilitator(
  { facilitatorUrl, facilitatorHeaders: headers }: Config,
  signal: AbortSignal,
): Promise<Verdict> {
  const answer = await fetch(`${facilitatorUrl}/supported`, {
    headers,
    redirect: 'manual',
    signal,
  }).catch(() => undefined)
  await answer?.body?.cancel()
  const date = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(date)) return warn('the facilitator sends no Date header to compare with')
  const seconds = Math.round(Date.now() / 1000 - date / 1000)
  const text = `${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the facilitator`
  if (Math.abs(seconds) > WRONG_SECONDS) return fail(`${text}: set this machine's clock, by NTP`)
  return Math.abs(seconds) > NOTED_SECONDS ? warn(text) : ok(text)
}

/** Reasons to refuse a payment that was understood: only the money is missing. Source: `@x402/evm`, `x402`. */
const NO_MONEY = [
  'insufficient_funds',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_transaction_simulation_failed',
]

/** Asks the facilitator what the running service asks, and has it verify a payment of an empty account. */
async function askFacilitator(config: Config) {
  const { facilitatorUrl: url, facilitatorHeaders: headers, network } = config
  const { facilitator, check } = watchFacilitator(
    createFacilitator({ url, headers, ...FACILITATOR_LIMITS, verifyTimeoutMs: 9000 }),
    network,
  )
  const { host } = new URL(url)
  const wrong = await askHealth(check)
  if (wrong !== null) return wrong
  const verification = await facilitator.verify(await makePayment(config))
  if (verification.kind === 'unavailable')
    return fail(`FACILITATOR_URL, ${host} cannot verify a payment: ${messageOf(verification.cause)}`)
  if (verification.kind === 'valid')
    return fail(`FACILITATOR_URL, ${host} calls a payment without money valid: use another facilitator`)
  const { reason } = verification
  if (NO_MONEY.includes(reason))
    return ok(`${host} settles on ${network}, and refuses a payment without money (${reason})`)
  if (reason === UNREADABLE_REASON)
    return warn(
      `${host} refuses a payment without money, but not by a known reason: make a paid call to be sure`,
    )
  return fail(
    `FACILITATOR_URL, ${host} refuses a sound payment for another reason than missing money (${reason}): it would refuse paid calls`,
  )
}

/** Makes a payment of a new account, which is signed well and cannot be settled. */
async function makePayment({ network, payTo, publicUrl, prices }: Config): Promise<FacilitatorCall> {
  const terms = createTerms('trust', { network, payTo, publicUrl, priceUsd: prices.trust })
  const account = privateKeyToAccount(generatePrivateKey())
  const now = Math.floor(Date.now() / 1000)
  const nonce = toHex(randomBytes(32))
  const times = { validAfter: now - 60, validBefore: now + 100 }
  const signature = await account.signTypedData({
    domain: terms.domain,
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: account.address,
      to: terms.payTo,
      value: BigInt(terms.amountAtomic),
      nonce,
      validAfter: BigInt(times.validAfter),
      validBefore: BigInt(times.validBefore),
    },
  })
  const authorization = {
    from: account.address,
    to: terms.payTo,
    value: terms.amountAtomic,
    nonce,
    validAfter: String(times.validAfter),
    validBefore: String(times.validBefore),
  }
  const header = { x402Version: 2, accepted: terms.v2, payload: { signature, authorization } }
  const payment = readPayment(encodeBase64Json(header), 2, terms)
  if (typeof payment === 'string') throw new Error(`the payment to verify is not one: ${payment}`)
  return payment.call
}
