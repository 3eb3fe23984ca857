export { createByteReader } from './byteReader.ts'
export { loadMapDiff } from './loadMapDiff.ts'
export {
  compareBytes,
  entryAt,
  findKey,
  headOf,
  type MapBody,
  readMapBody,
  rowOf,
  TABLES,
  TAIL_BYTES,
  type TableName,
} from './mapBody.ts'
export {
  type CodedEntry,
  MAX_OFFERS,
  type MapEntry,
  type MapOffer,
  readEntry,
  SLOT_MS,
  skipEntry,
  slotOf,
  writeEntry,
} from './mapEntry.ts'
export { MapFormatError } from './mapError.ts'
export { type MapHeader, mapKeyName, readMapHeader, writeMapHeader } from './mapHeader.ts'
export { KEY_BYTES, mapKeyOf, shapeMarker, shapesOf, toShape } from './mapKey.ts'
export {
  type PriceRow,
  plainReceiver,
  readPriceRow,
  readReceiver,
  readTermClass,
  readTexts,
  type TermClass,
  toHex,
} from './mapRows.ts'
