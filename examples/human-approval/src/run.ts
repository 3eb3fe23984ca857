import {
  type AskHandler,
  createGuard,
  type FetchLike,
  isGuardError,
  type SigningAccount,
} from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'

export type HumanApprovalOptions = {
  /** URL of the trust service. @default none, policy and ledger decide */
  touchstoneUrl?: string | undefined
  endpointUrls: readonly string[]
  account: SigningAccount
  /** Limit in dollars for payments without approval, as a decimal string. */
  freeUpToUsd: string
  /** Asks a person. Only `true` approves. */
  ask: AskHandler
  /** Used for every request. @default the global fetch */
  fetch?: FetchLike
}

export type HumanApprovalResult = { endpointUrl: string; paid: boolean; asked: boolean; code: string | null }

/** Pays small amounts without approval. A person decides about larger ones, which are paid exactly as approved. */
export async function run(options: HumanApprovalOptions): Promise<HumanApprovalResult[]> {
  const { touchstoneUrl, endpointUrls, account, freeUpToUsd, ask, fetch = globalThis.fetch } = options
  let asked = false
  const guard = createGuard({
    service: touchstoneUrl ? { url: touchstoneUrl, fetch } : undefined,
    policy: { askAboveUsd: freeUpToUsd, maxPerPaymentUsd: '1.00' },
    async ask(question) {
      asked = true
      return ask(question)
    },
  })
  const pay = createGuardedFetch({ account, guard, fetch })

  const results: HumanApprovalResult[] = []
  for (const endpointUrl of endpointUrls) {
    asked = false
    try {
      const response = await pay(endpointUrl)
      await response.arrayBuffer()
      results.push({ endpointUrl, paid: response.ok, asked, code: null })
    } catch (error) {
      if (!isGuardError(error)) throw error
      results.push({ endpointUrl, paid: false, asked, code: error.code })
    }
  }
  return results
}
