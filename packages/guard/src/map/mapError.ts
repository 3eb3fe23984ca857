/** Sentence of each reason to refuse a map. */
export const MAP_FAULTS = {
  OPTIONS_INVALID: 'The options of the map are invalid.',
  UNREACHABLE: 'The map could not be fetched.',
  MALFORMED: 'The map is malformed.',
  UNTRUSTED: 'No trusted key signed the map.',
  OTHER_ISSUER: 'The map is of another service.',
  ROLLED_BACK: 'The map is older than one that was seen before.',
  EXPIRED: 'The map has expired.',
  FROM_FUTURE: 'The map is dated in the future; check the clock of this machine.',
  WRONG_LENGTH: 'The map has another length than its header states.',
  WRONG_HASH: 'The map has another hash than its header states.',
  NOT_LOGGED: 'No valid proof shows that the log of the service holds this map.',
} as const

/**
 * Literal reason to refuse a map.
 * @example
 * const attacks: MapErrorCode[] = ['ROLLED_BACK', 'WRONG_HASH', 'UNTRUSTED']
 */
export type MapErrorCode = keyof typeof MAP_FAULTS

/**
 * A map that was refused. The last good one stays in use until it expires.
 * @example
 * if (error instanceof MapError && error.code === 'ROLLED_BACK') console.warn(error.message)
 */
export class MapError extends Error {
  override readonly name = 'MapError'
  /** Reason of the refusal. */
  readonly code: MapErrorCode
  constructor(code: MapErrorCode, { details, cause }: { details?: string; cause?: unknown } = {}) {
    super(details === undefined ? MAP_FAULTS[code] : `${MAP_FAULTS[code]} ${details}`, { cause })
    this.code = code
  }
}

/** Reads a part of a map. @throws MapError `MALFORMED` */
export function readOrRefuse<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new MapError('MALFORMED', { cause })
  }
}
