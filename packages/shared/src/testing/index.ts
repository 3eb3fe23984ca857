/** Test support for all packages. */

export { fuzzRuns } from './fuzzRuns.ts'
export { processorMs } from './processorMs.ts'
