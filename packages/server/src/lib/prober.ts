import type { Observation, OwnFault } from '../facts/facts.ts'

/** One request to an endpoint. */
export type ProbeTarget = {
  readonly url: string
  readonly method: string
  readonly body: string | null
  /** Whether the listing declares the input that is sent. */
  readonly declaresInput: boolean
  /** Index of the client identity, which sets user agent and headers. */
  readonly client: number
  /** Time limit in ms, including redirects. @default the prober's own */
  readonly deadlineMs?: number | undefined
}

/** Result of a probe: an observation without id, endpoint and time. */
export type ProbeResult = Omit<Observation, 'kind' | 'id' | 'at' | 'endpoint' | 'host' | 'purpose'>

/** Probes endpoints from outside. Never rejects: our own faults are `not_measured`. */
export type Prober = {
  /** Number of client identities that it writes itself, at least 2. */
  readonly clients: number
  /** Indexes of the programs that it runs as clients. @default none */
  readonly realClients?: readonly number[]
  probe(target: ProbeTarget, signal?: AbortSignal): Promise<ProbeResult>
  /**
   * Fetches a small public document such as `/.well-known/x402`, under the same address guard. Returns null if there is
   * none.
   * @param onOwnFault called with the cause if null is due to our own fault, not the host's
   * @param maxBytes size above which there is none, decoded or not. @default 256 KiB
   */
  document(
    url: string,
    signal?: AbortSignal,
    onOwnFault?: (cause: OwnFault) => void,
    maxBytes?: number,
  ): Promise<string | null>
  close(): Promise<void>
}
