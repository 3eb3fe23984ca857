import { misconfigured } from '../errors.ts'
import type { SignatureVerifier } from '../paying/guardContext.ts'

/**
 * The parts of a viem public client that the verifier uses.
 * @example
 * const client: WalletClient = publicClient
 */
export type WalletClient = {
  getChainId(): Promise<number>
  /**
   * Verifies signatures of ERC-1271, ERC-6492 and EIP-7702 accounts by `eth_call`. Is called with the typed data, an
   * `address` and a `signature`.
   */
  verifyTypedData(parameters: never): Promise<boolean>
}

/**
 * Options of {@link createWalletVerifier}.
 * @example
 * const options: WalletVerifierOptions = { clients: { 'eip155:8453': publicClient } }
 */
export type WalletVerifierOptions = {
  /** Clients by CAIP-2 id. Contract wallets on other networks are refused. */
  clients: Readonly<Record<string, WalletClient>>
}

/**
 * Creates the option `verifySignature` of a guard: contract wallets (ERC-1271), those that are not deployed yet
 * (ERC-6492) and delegated accounts (EIP-7702) are then verified by a viem client. Only the payer that the payment names
 * is asked. Signatures that recover to the payer need no client.
 * @throws ConfigurationError if a client is not a viem public client, or not by a CAIP-2 id
 * @example
 * const verifySignature = createWalletVerifier({ clients: { 'eip155:8453': publicClient } })
 * const guard = createGuard({ verifySignature })
 */
export function createWalletVerifier({ clients }: WalletVerifierOptions): SignatureVerifier {
  const known = new Map(Object.entries(clients).map(([network, client]) => [network, check(network, client)]))
  return async ({ network, from, typedData, signature }) => {
    const client = known.get(network)
    if (client === undefined) throw new Error(`clients has no client of ${network}`)
    await client.confirmChain()
    return client.verifyTypedData({ ...typedData, address: from, signature } as never)
  }
}

function check(network: string, client: WalletClient) {
  const [, chainId] = /^eip155:([1-9][0-9]{0,15})$/.exec(network) ?? []
  if (chainId === undefined)
    throw misconfigured(`clients: expected CAIP-2 ids such as "eip155:8453", not "${network}"`)
  if (typeof client?.verifyTypedData !== 'function' || typeof client.getChainId !== 'function') {
    throw misconfigured(`clients.${network}: expected a viem public client`)
  }
  let isConfirmed = false
  return {
    verifyTypedData: client.verifyTypedData.bind(client),
    // The contract at the payer's address on another chain may belong to someone else.
    async confirmChain() {
      if (isConfirmed) return
      const given = await client.getChainId()
      if (String(given) !== chainId) throw new Error(`clients.${network} is a client of chain ${given}`)
      isConfirmed = true
    },
  }
}
