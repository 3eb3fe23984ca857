import { paymentOf } from '../paymentOf.ts'
import { readUrl } from '../readUrl.ts'
import { REMEDIES } from '../reasons.ts'
import type { CallRequest } from './calls/request.ts'
import type { GuardContext } from './guardContext.ts'
import { readReceipt } from './settlement.ts'

/**
 * Reports an answer to a payment that some client below the guard must have made. If its receipt names an account of
 * this guard and a transaction that the ledger does not know, further calls to the host are refused.
 */
export async function noteUnseen(
  context: GuardContext,
  { method, url }: CallRequest,
  response: Response,
): Promise<void> {
  if (paymentOf(response) !== null) return
  const canonical = readUrl(url)
  if (typeof canonical === 'string') return
  context.emit({ type: 'unseen', reason: UNSEEN, endpoint: canonical.key, method })
  const { accounts, unseenHosts, ledger } = context
  const { transaction = null, settlement } = readReceipt(response.headers) ?? {}
  const payer = settlement?.payer
  const isOwn = typeof payer === 'string' && (accounts.size === 0 || accounts.has(payer.toLowerCase()))
  if (transaction === null || !isOwn || unseenHosts === null) return
  await ledger.refresh().catch(() => {})
  if (ledger.knows(transaction)) return
  unseenHosts.add(canonical.host)
  console.warn(`@touchstone402/guard: ${UNSEEN}`)
}

const UNSEEN = `The answer names a payment that the guard did not see. ${REMEDIES.GUARD_ABOVE_LIBRARY}`
