/** A form of payment that a specification of the protocol names, as a whole answer, and the verdicts that are right for it. */
export type OfficialForm = {
  name: string
  /** Where the form is specified: a path in x402-foundation/x402 unless stated otherwise. */
  source: string
  challenge: { status: number; headers: Record<string, string>; body: unknown }
  /** Content of `/.well-known/x402` at the host. @default none */
  wellKnown?: string
  /** Host that serves it. @default one of its own */
  host?: string
  /** The right verdicts at a seller that keeps one receiver and one price, measured for more than a day. */
  right: readonly ('safe' | 'caution' | 'unknown' | 'avoid')[]
}

/** One form, before it is written into a challenge. */
export type FormRow = Omit<OfficialForm, 'challenge' | 'right'> & {
  /** @default safe */
  right?: OfficialForm['right']
  /** Entries of `accepts` in the shape of v2, or of v1 for networks by name. */
  accepts: readonly Record<string, unknown>[]
  /** Where the entries stand; `none` for no challenge of x402 but what the other fields say. @default 'v2' */
  shape?: 'v1' | 'v2' | 'both' | 'none'
  /** Fields of the document around the entries, where they differ. */
  envelope?: Entry
  /** The whole answer, where it is none of x402. */
  page?: OfficialForm['challenge']
  /** Whether the body holds the v2 document. */
  bodyRepeats?: boolean
  /** Headers beside the challenge. */
  headers?: Record<string, string>
}

/** Receiver of the forms of EVM networks. */
export const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
export const BASE = 'eip155:8453'
/** USDC on Base. */
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** Where Circle names its tokens. */
export const CIRCLE = '@circle-fin/bridge-kit 1.15.1, chain definitions'

/** An entry of `accepts`. */
export type Entry = Record<string, unknown>

/** Returns an exact entry. */
export const exact = (
  network: string,
  asset: string,
  payTo: string,
  extra?: Entry,
  amount = '10000',
): Entry => ({
  scheme: 'exact',
  network,
  amount,
  asset,
  payTo,
  maxTimeoutSeconds: 60,
  ...(extra === undefined ? {} : { extra }),
})

/** Domain of USDC. */
export const DOMAIN = { name: 'USD Coin', version: '2' }

/** Returns an exact entry in USDC, or in another token that is signed alike. */
export const usdc = (network = BASE, asset = USDC): Entry => exact(network, asset, PAY_TO, DOMAIN)

/** Path of a specification of a scheme. */
export const spec = (scheme: string, family: string) =>
  `specs/schemes/${scheme}/scheme_${scheme.replaceAll('-', '_')}_${family}.md`
