/// <reference lib="esnext.disposable" preserve="true" />
import { canonicalizeUrl } from '@touchstone402/shared'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { startService as startSigner } from '../../testing/service.ts'
import type { CheckedVerdict } from '../../types.ts'

export {
  type SellerBehavior,
  type SellerOptions,
  startSeller,
  type TestPayment,
  type TestSeller,
} from './startSeller.ts'

/**
 * An account of viem that counts its signatures.
 * @example
 * const hasSigned = (account: TestAccount) => account.signatures > 0
 */
export type TestAccount = PrivateKeyAccount & {
  /** Number of typed messages that it was asked to sign. */
  readonly signatures: number
}

/**
 * Creates an account for tests. Needs viem.
 * @param privateKey @default a fresh key, which has never held anything
 * @example
 * const account = createTestAccount()
 */
export function createTestAccount(privateKey: `0x${string}` = generatePrivateKey()): TestAccount {
  const account = privateKeyToAccount(privateKey)
  let signatures = 0
  const signTypedData: PrivateKeyAccount['signTypedData'] = (message) => {
    signatures += 1
    return account.signTypedData(message)
  }
  return {
    ...account,
    signTypedData,
    get signatures() {
      return signatures
    },
  }
}

/**
 * Verdict served for an endpoint. Omitted fields get values typical of the verdict; there are no terms by default.
 * @example
 * const said: TestVerdict = { verdict: 'avoid', flags: ['receiver_changed'] }
 */
export type TestVerdict = Pick<CheckedVerdict, 'verdict'> & Partial<CheckedVerdict>

/**
 * A verdict service on a free port of 127.0.0.1, for tests only.
 * @example
 * const optionsFor = (service: TestService) => ({ service: { url: service.url } })
 */
export type TestService = AsyncDisposable & {
  readonly url: string
  /** RFC 7638 thumbprint of its key, for `service.jwksThumbprint`. */
  readonly thumbprint: string
  /** Canonical URLs that it was asked about, in order. */
  readonly asked: readonly string[]
  /** Whether it answers 503. */
  isDown: boolean
  /** Signs this verdict for a URL from now on. A guard that has asked before uses its cache for a while. */
  say(url: string, verdict: TestVerdict): void
  close(): Promise<void>
}

const MEASURED = { receiverStability: 'stable', probes: 12 } as const
const USUAL: Record<CheckedVerdict['verdict'], Partial<CheckedVerdict>> = {
  safe: { ...MEASURED, score: 95, riskLevel: 'clean' },
  caution: { ...MEASURED, score: 60, riskLevel: 'medium' },
  avoid: { ...MEASURED, score: 5, riskLevel: 'high' },
  unknown: {},
}

/**
 * Starts a verdict service for tests. It signs the configured verdicts, and `unknown` for every other URL.
 * @param options `now`: Unix time in ms, from which verdicts hold for an hour. @default Date.now
 * @example
 * const service = await startService()
 * const seller = await startSeller()
 * service.say(`${seller.url}/weather`, { verdict: 'safe', terms: seller.terms })
 */
export async function startService({ now }: { now?: () => number } = {}): Promise<TestService> {
  const signer = await startSigner(now)
  const { url, thumbprint, asked } = signer
  const close = () => signer.stop()
  const service: TestService = {
    url,
    thumbprint,
    asked,
    isDown: false,
    close,
    say(url, verdict) {
      signer.decisions.set(canonicalizeUrl(url).key, { ...USUAL[verdict.verdict], ...verdict })
    },
    [Symbol.asyncDispose]: close,
  }
  signer.fault = (_, response) => {
    if (service.isDown) response.writeHead(503).end()
    return service.isDown
  }
  return service
}
