/** The last checkpoint of a log that a witness cosigned. */
export type Witnessed = {
  readonly size: number
  /** Root in base64. */
  readonly root: string
  /** The checkpoint with the signatures of log and witness. */
  readonly note: string
}

/** Keeps the last checkpoint of each log. */
export type WitnessBook = {
  read(origin: string): Promise<Witnessed | undefined>
  /** Resolves once it is durable. */
  write(origin: string, witnessed: Witnessed): Promise<void>
  close(): Promise<void>
}
