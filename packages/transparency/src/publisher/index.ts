export { createLogPublisher, type LogPublisher, type LogPublisherOptions } from './createLogPublisher.ts'
export { type GrownTile, growTree } from './growTree.ts'
export { listTiles, rangeOf, readLogFile, readTile } from './logFiles.ts'
export { createMemoryLog, type MemoryLog } from './memoryLog.ts'
export type { LogHead, LogStorage, TilePlace } from './storage.ts'
export { isWhole, proveEntry, readTree } from './storedTree.ts'
export {
  type Cosigned,
  createWitnessClient,
  type WitnessClient,
  type WitnessConfig,
} from './witnessClient.ts'
