import { randomBytes } from 'node:crypto'
import { encodeBase64Json, OPERATIONS, TRANSFER_WITH_AUTHORIZATION } from '@touchstone402/shared'
import { createTransferSource } from '@touchstone402/transfers'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Config } from '../../config/config.ts'
import { STALE_BLOCK_MS } from '../../payments/createConfirmation.ts'
import {
  checkFacilitator,
  createFacilitator,
  FACILITATOR_LIMITS,
  type FacilitatorCall,
  UNREADABLE_REASON,
} from '../../payments/facilitator.ts'
import { readPayment } from '../../payments/readPayment.ts'
import { createTerms } from '../../payments/terms.ts'
import { readRpc } from '../../services/health/readRpc.ts'
import { type Check, fail, ok, warn } from './finding.ts'

/** Difference of clocks in seconds that is worth a word, and from which on payments and expiry go wrong. */
const NOTED_SECONDS = 5
const WRONG_SECONDS = 30

/** Lists the checks of what payments need: the chain, the facilitator, and a clock that agrees with both. */
export function checkPayments(config: Config): Check[] {
  const chainId = Number(config.network.slice('eip155:'.length))
  const several = config.rpcUrls.length > 1
  return [
    ...config.rpcUrls.map((url, index) => ({
      name: several ? `chain ${index + 1}` : 'chain',
      run: () => checkRpc(url, chainId, config.network),
    })),
    { name: 'facilitator', run: () => askFacilitator(config) },
    {
      name: 'clock',
      run: async (signal) => {
        const answer = await fetch(`${config.facilitatorUrl}/supported`, {
          headers: config.facilitatorHeaders,
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
      },
    },
  ]
}

async function checkRpc(url: string, wanted: number, network: string) {
  const { host } = new URL(url)
  const source = createTransferSource({ chainId: wanted, urls: [url], now: Date.now })
  const [rpc] = source.rpcs
  const state = rpc && (await readRpc(rpc, Date.now).finally(() => source.close()))
  if (state?.chainId != null && state.chainId !== wanted)
    return fail(`RPC_URLS, ${host} is on chain ${state.chainId}, not ${wanted}; NETWORK is ${network}`)
  if (state?.head == null) return fail(`RPC_URLS, ${host}: ${state?.reason}; NETWORK is ${network}`)
  const { number, atMs, readAtMs } = state.head
  const seconds = Math.round((readAtMs - atMs) / 1000)
  const text = `${host} is on chain ${wanted}, block ${number}`
  if (seconds < -WRONG_SECONDS)
    return fail(`${text} is ${-seconds} s in the future: set this machine's clock`)
  if (seconds * 1000 <= STALE_BLOCK_MS) return ok(`${text}, ${Math.max(0, seconds)} s old`)
  return fail(`${text} is ${seconds} s old: it is behind, or this machine's clock is ahead`)
}

/** Reasons to refuse a payment that was understood: only the money is missing. Source: `@x402/evm`, `x402`. */
const NO_MONEY = [
  'insufficient_funds',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_transaction_simulation_failed',
]

/** Reads the facilitator's supported payments, and has it verify a payment of an empty account. */
async function askFacilitator(config: Config) {
  const { facilitatorUrl: url, facilitatorHeaders: headers, network } = config
  const facilitator = createFacilitator({ url, headers, ...FACILITATOR_LIMITS, verifyTimeoutMs: 9000 })
  const { host } = new URL(url)
  const found = await checkFacilitator(facilitator, network)
  if (found.kind === 'unsuitable') return fail(found.message)
  if (found.kind === 'unreachable')
    return fail(`FACILITATOR_URL, ${host}: ${reasonOf(found.cause)}; paid calls would be refused`)
  const verification = await facilitator.verify(await makePayment(config))
  if (verification.kind === 'unavailable')
    return fail(`FACILITATOR_URL, ${host} cannot verify a payment: ${reasonOf(verification.cause)}`)
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

const reasonOf = (cause: unknown) => {
  const { message, cause: inner } = cause as Error
  return inner instanceof Error ? `${message} (${inner.message})` : message
}

/** Makes a payment of a new account, which is signed well and cannot be settled. */
async function makePayment({ network, payTo, publicUrl, prices }: Config): Promise<FacilitatorCall> {
  const priceUsd = prices.trust ?? OPERATIONS.trust.priceUsd
  const terms = createTerms('trust', { network, payTo, publicUrl, priceUsd })
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
