import type { Ledger } from '../ledger/ledger.ts'
import { type ReconcileOptions, reconcileLedger } from '../ledger/reconcile.ts'
import { createUpto } from '../upto/createUpto.ts'

const PAUSE_MS = 600_000

/**
 * Asks the chain every ten minutes what became of unresolved payments: what an agent was given to sign comes back in no
 * other way. Does nothing without an RPC endpoint. Returns how to stop.
 */
export function reconcileOften(
  ledger: Ledger,
  options: Pick<ReconcileOptions, 'rpcUrls' | 'now'>,
): () => void {
  let isOver = Object.keys(options.rpcUrls).length === 0
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    timer = isOver ? undefined : setTimeout(ask, PAUSE_MS).unref()
  }
  const ask = async () => {
    await reconcileLedger(ledger, { ...options, upto: createUpto() }).catch(() => {})
    wait()
  }
  wait()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
