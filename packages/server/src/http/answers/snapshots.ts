/** An immutable answer on disk. */
export type Snapshot = {
  readonly kind: 'snapshot'
  readonly id: string
  readonly bytes: number
}

/** The bytes of a snapshot, to be read once; each chunk is valid until the next is requested. */
export type SnapshotReading = { readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> }

/** Answers that are too large for memory, kept as long as they may be replayed. */
export type Snapshots = {
  /**
   * Writes text to disk. Resolves once it is durable; a failed write leaves nothing behind.
   * @throws SnapshotsFullError if it does not fit, or any error of `chunks`
   */
  write(chunks: AsyncIterable<string>): Promise<Snapshot>
  /** Opens a snapshot. Returns undefined if it has expired. */
  open(id: string): Promise<SnapshotReading | undefined>
  /** Removes expired snapshots. */
  sweep(): Promise<void>
}
