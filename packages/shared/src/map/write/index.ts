export { readRows, writeValue } from '../mapEntry.ts'
export {
  decodeRow,
  encodeRow,
  readList,
  readPrice,
  writeList,
  writePrice,
  writeReceiver,
  writeTermClass,
} from '../mapRows.ts'
export { applyMapDiff } from './applyMapDiff.ts'
export { writeMapDiff } from './mapDiff.ts'
export { writeInSteps, writeMapBody } from './writeBody.ts'
