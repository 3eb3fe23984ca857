/** An entry of `accepts` of a simulated host. */
export type Entry = {
  /** CAIP-2. v1 challenges carry the network's v1 name. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amountAtomic: string
  /** @default exact */
  readonly scheme?: string
  /** Added to the domain of the asset. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Where a seller states its challenge: in the body (v1), the header (v2), or both. */
export type Wire = 'v1' | 'v2' | 'both'

/** Response of a host to a request for the listed path. */
export type Reply =
  | 'challenge'
  | 'blocked'
  | 'input_needed'
  | 'refused'
  | 'error'
  | 'page'
  | 'malformed'
  | 'not_found'
  | 'gone'
  | 'method_not_allowed'
  /** A 402 of the hosting provider, without a challenge. */
  | 'provider_402'
  /** The resource itself, without a payment. */
  | 'free'
  /** Refusals of bot filters: SiteGround's captcha (202), ModSecurity (406), and 451. */
  | 'captcha'
  | 'not_acceptable'
  | 'legal'
  /** Pages of bot filters with status 200 or 503: Imperva, Anubis, ngrok, Cloudflare. */
  | 'imperva'
  | 'anubis'
  | 'ngrok'
  | 'cloudflare'

/** HTTP response of a simulated seller. */
export type SellerResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
  /** Text that lenient clients decode from the body. @default the body */
  readonly decoded?: string
  /** Time that it took, in ms. @default 80 */
  readonly latencyMs?: number
}

/** An entry of `accepts` as it is written. */
export type Written = Readonly<Record<string, unknown>>

/** A request as a seller sees it. */
export type SellerRequest = {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Region that the request comes from. */
  readonly region: Region
  /** Milliseconds since the start. */
  readonly since: number
  /** Milliseconds since the last request of the prober, which a thief may recognize afterwards. Null before the first. */
  readonly sinceProbe: number | null
}

/** The probes leave from a home region, and for some hours from another one. */
export type Region = 'home' | 'away'

/** Behavior of a host from a moment on. */
export type Phase = {
  /** Days since the start. */
  readonly fromDay: number
  readonly reply: Reply
  readonly entries: readonly Entry[]
  /** Listed paths from now on. @default those of the host */
  readonly paths?: readonly string[]
  /** Entries of single paths, where they differ. */
  readonly byPath?: Readonly<Record<string, readonly Entry[]>>
  /** Entries of the v1 body, if they differ from those of the v2 header. */
  readonly bodyEntries?: readonly Entry[]
  /** Different terms for some requests. */
  readonly shown?: { readonly to: (request: SellerRequest) => boolean; readonly entries: readonly Entry[] }
  /** Edits the entries as they are written into header and body. */
  readonly writes?: (accepts: readonly Written[]) => readonly Written[]
  /** Edits the answer as it is sent. */
  readonly sends?: (answer: SellerResponse) => SellerResponse
  /** Each request shows a new receiver, or a random one from a pool. */
  readonly receivers?: 'per_request' | { readonly pool: readonly string[] }
  /** Each request asks a random one of these amounts, one by day and another by night, or rarely another one. */
  readonly amounts?:
    | { readonly anyOf: readonly string[] }
    | { readonly day: string; readonly night: string }
    | { readonly usually: string; readonly rarely: string; readonly probability: number }
  /** Number of calls a day that are answered without a payment. */
  readonly freeCalls?: number
  /** Signs every offer by the offer-receipt extension, with the account of the host. */
  readonly signsOffers?: boolean
  /** Asks for the same payment by `WWW-Authenticate: Payment` (MPP) too. */
  readonly asksByMpp?: boolean
  /** Requests fail at random, or periodically for some minutes. */
  readonly faults?:
    | { readonly rate: number }
    | { readonly downMinutes: number; readonly everyMinutes: number }
  /** Responds 402 on every path. */
  readonly isCatchAll?: boolean
  /** `resource` of the challenge. @default the requested URL */
  readonly resource?: string
  /** Redirects the listed path to this one. */
  readonly movedTo?: string
  /** Content of `/.well-known/x402`. */
  readonly wellKnown?: string
  /** Content of `/openapi.json`. */
  readonly openApi?: string
}
