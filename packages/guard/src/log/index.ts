export { LogError } from '@touchstone402/transparency'
export type { LogCheck } from '../types.ts'
export { createLogCheck, type LogCheckOptions } from './logCheck.ts'
export { createLogReader, type LogEntry, type LogReader, type LogReaderOptions } from './logReader.ts'
