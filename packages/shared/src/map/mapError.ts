/** Bytes or a text that are no map. The message names the malformed part; it is short, since browsers load it. */
export class MapFormatError extends Error {
  override readonly name = 'MapFormatError'
  constructor(part: string) {
    super(`malformed ${part}`)
  }
}
