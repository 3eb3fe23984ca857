/** No snapshot can be created: the ones that buyers may still fetch use up the space. */
export class SnapshotsFullError extends Error {
  override readonly name = 'SnapshotsFullError'
}
