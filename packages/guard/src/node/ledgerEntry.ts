export { type Reconciled, type ReconcileOptions, reconcileLedger } from '../ledger/reconcile.ts'
export { createFileLedger, type FileLedger } from './fileLedger.ts'
export { type LedgerCheck, verifyLedger } from './verifyLedger.ts'
