export { loadMapDiff } from './loadMapDiff.ts'
export {
  compareKeys,
  entryAt,
  findKey,
  lowerBound,
  type MapBody,
  readMapBody,
  rowOf,
} from './mapBody.ts'
export {
  MAX_OFFERS,
  type MapEntry,
  type MapOffer,
  NO_ROW,
  RECORD_BYTES,
  readSlot,
  SLOT_MS,
} from './mapEntry.ts'
export { MapFormatError } from './mapError.ts'
export { type MapHeader, mapKeyName, readMapHeader, writeMapHeader } from './mapHeader.ts'
export { KEY_BYTES, mapKeyOf, shapeMarker, shapesOf, toShape } from './mapKey.ts'
export { toHex } from './mapRows.ts'
