/** What a host publishes at one place, or why it could not be read. */
export type Published =
  | { readonly ok: true; readonly texts: readonly string[] }
  | {
      readonly ok: false
      readonly code: string
      /** Completes "PLACE …". */
      readonly message: string
      /** Whether our network or resolver may be at fault. */
      readonly isOurs: boolean
    }

/** Reads what hosts publish to be claimed, under the address guard. Never rejects. */
export type ClaimReader = {
  /** Reads the lines of a small text file; follows no redirect. */
  file(url: string, signal: AbortSignal): Promise<Published>
  /** Reads the TXT records of a name. */
  txt(name: string, signal: AbortSignal): Promise<Published>
}
