export { type Reconciled, type ReconcileOptions, reconcileLedger } from '../reconcile.ts'
export { createFileLedger, type FileLedger } from './fileLedger.ts'
export { type LedgerCheck, verifyLedger } from './verifyLedger.ts'
