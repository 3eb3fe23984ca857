/** No snapshot can be taken for now: those that may be asked for again fill the room that they have. */
export class SnapshotsFullError extends Error {
  override readonly name = 'SnapshotsFullError'
}
