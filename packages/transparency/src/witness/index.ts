export type { WitnessAnswer } from './answer.ts'
export {
  createWitness,
  type Witness,
  type WitnessBook,
  type Witnessed,
  type WitnessOptions,
} from './createWitness.ts'
export { createWitnessServer, type WitnessServerOptions } from './createWitnessServer.ts'
export { createMemoryBook } from './memoryBook.ts'
