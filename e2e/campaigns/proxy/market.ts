import { setTimeout as sleep } from 'node:timers/promises'
import { startService } from '@touchstone402/demo'
import { type Economy, start, usdcAbi } from '@touchstone402/economy'
import { decodeBase64Json, isRecord } from '@touchstone402/shared'
import { decodeFunctionData, parseUnits, type Transaction } from 'viem'
import { offerOf, openQuickSeller, RECEIVER, sendChallenge } from '../../support/seller.ts'
import { serve } from '../../support/serve.ts'
import { startSigningService, termOf } from '../../support/signingService.ts'

/** A call of an agent. */
export type Call = {
  method: string
  url: string
  /** Time after which the agent repeats it. */
  seconds: number
  /** Atomic USDC of an honest seller; null where nothing may be paid. */
  price: bigint | null
}

/** Every seller of the economy, a slow one, and the service that judges them. */
export type Market = {
  economy: Economy
  serviceUrl: string
  /** An endpoint that delivers at once, for a hundredth of a cent, and settles nothing. */
  quickUrl: string
  /** Lists one call of each seller. The name distinguishes the calls of agents. */
  calls(name: string): Call[]
  /** Makes a seller that was honest change its receiver. */
  swap(): void
  /** Atomic USDC that the slow seller could still collect. */
  uncollected(): bigint
  /** Signatures of all payments since the start that have settled. */
  settledSignatures(): Promise<string[]>
  stop(): Promise<void>
}

const SLOW_PRICE = 10_000n
const SLOW_MS = 600
/** Shorter than the slow seller takes, so that agents repeat its calls. */
const IMPATIENT_SECONDS = 0.25
const PATIENT_SECONDS = 20

/** Opens the market. @param isAudited judged by the real service, which takes 20 s, else by one that knows the sellers */
export async function openMarket(isAudited: boolean): Promise<Market> {
  const economy = await start({ hosts: 'ports', clock: isAudited ? 'fast' : 'real' })
  const slow = await openSlowSeller()
  const quick = await openQuickSeller(() => [RECEIVER, '100'])
  const service = isAudited ? await audit(economy) : await vouch(economy, `${slow.url}/slow`)
  const firstBlock = await economy.chain.publicClient.getBlockNumber()
  let isSwapped = false
  return {
    economy,
    serviceUrl: service.url,
    quickUrl: `${quick.url}/quick`,
    calls(name) {
      const calls = Object.values(economy.sellers).map(({ url, method, spec }): Call => {
        const isHonest = spec.character === 'swap-now' ? !isSwapped : spec.expected.guard === 'pays'
        const price = isHonest ? parseUnits(spec.priceUsd, 6) : null
        return { method, url: `${url}?agent=${name}`, seconds: PATIENT_SECONDS, price }
      })
      const url = `${slow.url}/slow?agent=${name}`
      return [...calls, { method: 'GET', url, seconds: IMPATIENT_SECONDS, price: SLOW_PRICE }]
    },
    swap() {
      economy.sellers['swap-now']?.swap?.()
      isSwapped = true
    },
    uncollected: slow.uncollected,
    async settledSignatures() {
      const { publicClient } = economy.chain
      const signatures: string[] = []
      const last = await publicClient.getBlockNumber()
      for (let blockNumber = firstBlock + 1n; blockNumber <= last; blockNumber++) {
        const { transactions } = await publicClient.getBlock({ blockNumber, includeTransactions: true })
        signatures.push(...transactions.flatMap(signatureOf))
      }
      return signatures
    },
    async stop() {
      await slow.stop()
      await quick.stop()
      await service.stop()
      await economy.stop()
    },
  }
}

async function audit(economy: Economy) {
  // All agents call from one address.
  const settings = { RATE_LIMIT_PER_MINUTE: '1000000' }
  const service = await startService(economy, { buys: true, log: () => {}, settings })
  await economy.clock.caughtUp
  return service
}

async function vouch(economy: Economy, slowUrl: string) {
  const service = await startSigningService()
  service.vouch(slowUrl, termOf(RECEIVER, String(SLOW_PRICE)))
  for (const { url, method, receiver, spec } of Object.values(economy.sellers)) {
    const { character, expected, priceUsd } = spec
    const term = { ...termOf(receiver, String(parseUnits(priceUsd, 6))), method }
    // The second is where one of them redirects to.
    const urls = [url, url.replace(spec.path, `/v2${spec.path}`)]
    if (expected.guard === 'pays' || character === 'swap-now')
      for (const one of urls) service.vouch(one, term)
    else if (character !== 'opted-out') service.decisions.set(url, { verdict: 'avoid', probes: 9 })
  }
  return service
}

/** Opens a seller that delivers some time after it first saw a payment, however often that is sent. */
async function openSlowSeller() {
  const firstSeen = new Map<string, number>()
  const server = await serve(async (request, response) => {
    const payment = request.headers['payment-signature']
    if (typeof payment !== 'string')
      return sendChallenge(request, response, offerOf(RECEIVER, String(SLOW_PRICE)))
    const seenAt = firstSeen.get(payment) ?? Date.now()
    firstSeen.set(payment, seenAt)
    await sleep(seenAt + SLOW_MS - Date.now())
    response.end('sunny')
  })
  const worthOf = (payment: string) => {
    const { payload } = decodeBase64Json(payment) ?? {}
    const authorization = isRecord(payload) && isRecord(payload.authorization) ? payload.authorization : {}
    return BigInt(String(authorization.value))
  }
  return {
    ...server,
    uncollected: () => [...firstSeen.keys()].reduce((sum, payment) => sum + worthOf(payment), 0n),
  }
}

/** Returns the significant half of a transfer authorization's signature. */
function signatureOf({ input }: Transaction): string[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: usdcAbi, data: input })
    if (functionName !== 'transferWithAuthorization') return []
    const signature = args.length === 7 ? args[6] : args[7]
    return [signature.slice(2, 66)]
  } catch {
    return []
  }
}
