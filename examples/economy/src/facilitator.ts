import type { RequestListener, ServerResponse } from 'node:http'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator'
import { createWalletClient, http, type PublicClient, type VerifyTypedDataParameters } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { baseChain } from './chain/baseChain.ts'
import { isRecord, readJsonObject, readTarget, sendJson } from './http.ts'

/** Faults that a test can inject: a settlement that fails before or after the transfer. */
export type FacilitatorFaults = {
  settle?: { when: 'before' | 'after'; kind: '500' | 'reset' | 'timeout' } | undefined
}

/** The facilitator's request handler. Returns false for other paths. */
export type Facilitator = {
  handle(...parameters: Parameters<RequestListener>): boolean
  /** Read at each settlement. */
  faults: FacilitatorFaults
}

// x402 v1 names networks by slug, but the library's type only allows CAIP-2 ids.
const V1_NETWORK = 'base' as `${string}:${string}`

/**
 * Creates a facilitator of the exact scheme for both protocol versions from the stock libraries.
 * Transactions are serialised, so that concurrent settlements never use the same account nonce.
 */
export function createFacilitator(options: {
  rpcUrl: string
  publicClient: PublicClient
  account: PrivateKeyAccount
}): Facilitator {
  const { publicClient, account, rpcUrl } = options
  const wallet = createWalletClient({ account, chain: baseChain, transport: http(rpcUrl, { retryCount: 0 }) })
  const inTurn = createQueue()
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    readContract: (args) => publicClient.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: (args) => publicClient.verifyTypedData(args as VerifyTypedDataParameters),
    writeContract: (args) => inTurn(() => wallet.writeContract(args)),
    sendTransaction: (args) => inTurn(() => wallet.sendTransaction(args)),
    waitForTransactionReceipt: (args) => publicClient.waitForTransactionReceipt(args),
    getCode: (args) => publicClient.getCode(args),
  })
  const facilitator = new x402Facilitator()
    .register('eip155:8453', new ExactEvmScheme(signer))
    .registerV1(V1_NETWORK, new ExactEvmSchemeV1(signer))
  const faults: FacilitatorFaults = {}

  const answer = async (
    step: 'verify' | 'settle',
    body: Record<string, unknown>,
    response: ServerResponse,
  ) => {
    const { paymentPayload, paymentRequirements } = body
    if (!isRecord(paymentPayload) || !isRecord(paymentRequirements)) {
      return sendJson(response, 400, { error: 'paymentPayload and paymentRequirements are required' })
    }
    const fault = step === 'settle' ? faults.settle : undefined
    if (fault?.when === 'before') return fail(fault.kind, response)
    // The library validates both.
    const result = await facilitator[step](
      paymentPayload as PaymentPayload,
      paymentRequirements as PaymentRequirements,
    )
    if (fault?.when === 'after') return fail(fault.kind, response)
    sendJson(response, 200, result)
  }

  return {
    faults,
    handle: (request, response) => {
      const { pathname } = readTarget(request)
      if (request.method === 'GET' && pathname === '/supported') {
        sendJson(response, 200, facilitator.getSupported())
        return true
      }
      if (request.method !== 'POST' || (pathname !== '/verify' && pathname !== '/settle')) return false
      const step = pathname === '/verify' ? 'verify' : 'settle'
      readJsonObject(request)
        .then((body) => answer(step, body, response))
        .catch((error: unknown) => {
          if (!response.headersSent)
            sendJson(response, 400, { error: error instanceof Error ? error.message : 'bad request' })
        })
      return true
    },
  }
}

function fail(kind: '500' | 'reset' | 'timeout', response: ServerResponse): void {
  if (kind === '500') sendJson(response, 500, { error: 'internal error' })
  if (kind === 'reset') response.destroy()
  // 'timeout' sends no response. The connection stays open until the caller or the economy closes it.
}

function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = tail.then(task)
    tail = result.catch(() => {})
    return result
  }
}
