/** Test support for all packages. */

export { fuzzRuns } from './fuzzRuns.ts'
export { listCommandFaults } from './listCommandFaults.ts'
export { askFor, offer } from './offer.ts'
export { processorMs } from './processorMs.ts'
export { seededRandom } from './seededRandom.ts'
