/** Why a note or a key was refused. */
export type NoteErrorCode =
  /** Not a note: wrong syntax, not UTF-8, control characters, too long or too many signatures. */
  | 'malformed_note'
  /** No signature by a known key. */
  | 'unsigned_note'
  /** A signature that names a known key does not verify. */
  | 'invalid_signature'
  /** Two of the known keys have one name and id. */
  | 'ambiguous_key'
  | 'malformed_key'

/** A note or a key that was refused. `code` states why. */
export class NoteError extends Error {
  override readonly name = 'NoteError'
  readonly code: NoteErrorCode
  constructor(code: NoteErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
