import type { Economy } from '@touchstone402/economy'
import { parseAbi } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type SignedPayment, signFor } from '../../support/sign.ts'

/** A payment and the responses that its payer saw. */
export type Payment = SignedPayment & { readonly payer: `0x${string}`; delivered: boolean; ended: boolean }

/** The payers of a campaign. */
export type Payers = {
  /** Receiver that only these payers pay. */
  readonly payTo: `0x${string}`
  /** Sends new payments and repeats unfinished ones until the signal aborts. */
  pay(origin: string, signal: AbortSignal): Promise<void>
  /** Number of payments with a final response. */
  ended(): number
  /** Repeats unfinished payments once and waits for the responses. */
  finish(origin: string): Promise<void>
  tally(): Promise<Tally>
}

/** Comparison of payers and chain. */
export type Tally = {
  payments: number
  delivered: number
  /** Authorizations used on chain. */
  settled: number
  /** Transfers to the service beyond one per authorization. */
  doubleCharged: number
  /** Deliveries for authorizations that were never used on chain. */
  deliveredUnpaid: number
  /** Used on chain, but never delivered despite repeats. */
  paidUndelivered: number
}

const PRICE = 5000n
const STATE = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])

/** Authorization states per batch. */
const BATCH = 200

/** Returns the accounts that all payers share. */
const accountsOf = ({ wallets }: Economy) => wallets.bots.slice(0, 3)

/** Funds the accounts for a whole campaign. */
export async function fundPayers(economy: Economy): Promise<void> {
  for (const { address } of accountsOf(economy)) await economy.chain.mintUsdc(address, PRICE * 1_000_000n)
}

/** Creates payers that pay one receiver. */
export function createPayers(economy: Economy): Payers {
  const { chain } = economy
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const accounts = accountsOf(economy)
  const payments: Payment[] = []

  const send = async (payment: Payment, origin: string, signal: AbortSignal): Promise<void> => {
    const response = await fetch(`${origin}/trust`, { headers: payment.headers, signal })
    await response.text()
    if (response.status === 200) payment.delivered = true
    // 409 and 503 ask for a retry. Other statuses are final.
    payment.ended = response.status !== 409 && response.status !== 503
  }

  const payFor = async (account: PrivateKeyAccount, origin: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const signed = await signFor(`${origin}/trust`, account, payments.length % 2 === 0 ? 1 : 2)
      const payment = { ...signed, payer: account.address, delivered: false, ended: false }
      payments.push(payment)
      const copies = [payment, payment].map((copy) => send(copy, origin, signal))
      await Promise.allSettled(copies)
    }
  }

  const open = () => payments.filter((payment) => !payment.ended)

  const wasUsed = ({ payer, nonce }: Payment): Promise<boolean> =>
    chain.publicClient.readContract({
      address: chain.usdc,
      abi: STATE,
      functionName: 'authorizationState',
      args: [payer, nonce],
    })

  return {
    payTo,
    async pay(origin, signal) {
      const again = open().map((payment) => send(payment, origin, signal))
      const fresh = accounts.map((account) => payFor(account, origin, signal))
      await Promise.allSettled([...again, ...fresh])
    },
    ended: () => payments.length - open().length,
    async finish(origin) {
      for (const payment of open()) await send(payment, origin, AbortSignal.timeout(20_000)).catch(() => {})
    },
    async tally() {
      const states: boolean[] = []
      for (let from = 0; from < payments.length; from += BATCH) {
        states.push(...(await Promise.all(payments.slice(from, from + BATCH).map(wasUsed))))
      }
      const count = (test: (payment: Payment, used: boolean) => boolean) =>
        payments.filter((payment, index) => test(payment, states[index] === true)).length
      const settled = count((_, used) => used)
      return {
        payments: payments.length,
        delivered: count((payment) => payment.delivered),
        settled,
        doubleCharged: Number((await chain.usdcBalanceOf(payTo)) / PRICE) - settled,
        deliveredUnpaid: count((payment, used) => payment.delivered && !used),
        paidUndelivered: count((payment, used) => !payment.delivered && used),
      }
    },
  }
}
