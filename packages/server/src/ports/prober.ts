import type { Observation } from '../domain/facts/facts.ts'

/** What to ask, and as whom. */
export type ProbeTarget = {
  readonly url: string
  readonly method: string
  readonly body: string | null
  /** Whether the listing declares the input that is being sent. */
  readonly declaresInput: boolean
  /** Index of the client identity; identities differ in user agent and headers. */
  readonly client: number
  /** For this probe with its redirects, in milliseconds. @default the prober's own */
  readonly deadlineMs?: number | undefined
}

/** What came back: an observation without its name, place and time. */
export type ProbeResult = Omit<Observation, 'kind' | 'id' | 'at' | 'endpoint' | 'host' | 'purpose'>

/** Looks at endpoints from outside. Never rejects: a fault of ours is `not_measured`. */
export type Prober = {
  /** How many client identities there are; at least 2. */
  readonly clients: number
  probe(target: ProbeTarget, signal?: AbortSignal): Promise<ProbeResult>
  /**
   * Fetches a small public document of a host, such as `/.well-known/x402`, under the same address guard.
   * @param onOwnFault told where null says nothing of the host, since a fault of ours kept us from asking
   * @returns null where there is none
   */
  document(url: string, signal?: AbortSignal, onOwnFault?: () => void): Promise<string | null>
  close(): Promise<void>
}
