/** The decoder and the columns by themselves, for benchmarks. */

export { createAddressTable } from './columns/addressTable.ts'
export { createColumnBuilder } from './columns/columnBuilder.ts'
export { measureFlow } from './figures/flowFigures.ts'
export { createLogStream } from './logs/logStream.ts'
