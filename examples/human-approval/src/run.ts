import {
  createGuard,
  createMemoryLedger,
  type FetchLike,
  isGuardError,
  type PaymentIntent,
} from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

export type HumanApprovalOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrls: readonly string[]
  privateKey: `0x${string}`
  /** Limit in dollars for payments without approval, as a decimal string. */
  freeUpToUsd: string
  /** Asks a person. Only `true` approves. */
  ask: (intent: PaymentIntent) => Promise<boolean>
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
}

export type HumanApprovalResult = { endpointUrl: string; paid: boolean; asked: boolean; code: string | null }

/** Pays small amounts without approval. Larger payments are approved by a person and paid exactly as approved. */
export async function run(options: HumanApprovalOptions): Promise<HumanApprovalResult[]> {
  const { touchstoneUrl, endpointUrls, privateKey, freeUpToUsd, ask, fetch = globalThis.fetch } = options
  const account = privateKeyToAccount(privateKey)
  // A shared ledger, so that approved payments count against the daily budgets.
  const ledger = createMemoryLedger()
  const payWithin = (maxPerPaymentUsd: string, allowReceivers: string[] = []) => {
    const policy = { maxPerPaymentUsd, allowReceivers }
    const guard = createGuard({
      service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined,
      policy,
      ledger,
    })
    return createGuardedFetch({ account, guard, fetch })
  }
  const payAlone = payWithin(freeUpToUsd)

  const results: HumanApprovalResult[] = []
  for (const endpointUrl of endpointUrls) {
    let asked = false
    const buy = async (pay: FetchLike): Promise<HumanApprovalResult> => {
      try {
        const response = await pay(endpointUrl)
        await response.arrayBuffer()
        return { endpointUrl, paid: response.ok, asked, code: null }
      } catch (error) {
        if (!isGuardError(error)) throw error
        const { code, intent } = error
        if (asked || code !== 'OVER_PAYMENT_LIMIT' || intent === undefined)
          return { endpointUrl, paid: false, asked, code }
        asked = true
        if ((await ask(intent)) !== true) return { endpointUrl, paid: false, asked, code }
        // At most the approved amount, to the approved receiver.
        return buy(payWithin(intent.amountUsd, [intent.payTo]))
      }
    }
    results.push(await buy(payAlone))
  }
  return results
}
