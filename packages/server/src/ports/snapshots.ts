/** An answer that was written to disk as a whole and does not change any more. */
export type Snapshot = {
  readonly kind: 'snapshot'
  readonly id: string
  readonly bytes: number
}

/** The bytes of a snapshot, to be read once and to the end or given up; each chunk is good until the next is asked for. */
export type SnapshotReading = { readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> }

/** Answers that are too large for memory. Each is kept for as long as it may be asked for again. */
export type Snapshots = {
  /**
   * Writes text to disk; resolves once all of it is durable. Of one that fails nothing stays.
   * @throws SnapshotsFullError when there is no room for it; whatever the text throws.
   */
  write(chunks: AsyncIterable<string>): Promise<Snapshot>
  /** Opens a snapshot; undefined where it is no longer kept. */
  open(id: string): Promise<SnapshotReading | undefined>
  /** Lets go of what is too old to be asked for. */
  sweep(): Promise<void>
}
