/** Test support for all packages. */

export { fuzzRuns } from './fuzzRuns.ts'
export { askFor, offer } from './offer.ts'
export { processorMs } from './processorMs.ts'
