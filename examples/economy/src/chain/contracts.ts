import { type Address, createTestClient, type Hex, http, parseAbi } from 'viem'
import careless from './artifacts/CarelessWallet.json' with { type: 'json' }
import permit2 from './artifacts/Permit2.json' with { type: 'json' }
import uptoProxy from './artifacts/UptoProxy.json' with { type: 'json' }
import factory from './artifacts/WalletFactory.json' with { type: 'json' }

/** Address of Permit2, equal on all chains. */
export const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
/** Address of the x402 proxy for `upto`, equal on all chains. */
export const UPTO_PROXY: Address = '0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002'
/** Deploys contract wallets on the local chain. */
export const WALLET_FACTORY: Address = '0x0000000000000000000000000000000000fac701'
/** A contract wallet that accepts every signature. */
export const CARELESS_WALLET: Address = '0x0000000000000000000000000000000000ca4e02'

/** ABI of the wallets and their factory. */
export const walletAbi = parseAbi([
  'function create(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
  'function approve(address token, address spender, uint256 value)',
])

/** ABI of Permit2. */
export const permit2Abi = parseAbi([
  'function nonceBitmap(address owner, uint256 wordPos) view returns (uint256)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
])

const CODE: [Address, { deployedBytecode: string }][] = [
  [PERMIT2, permit2],
  [UPTO_PROXY, uptoProxy],
  [WALLET_FACTORY, factory],
  [CARELESS_WALLET, careless],
]

/** Sets the code of Permit2, the proxy, the factory and the careless wallet on a local chain. */
export async function placeContracts(rpcUrl: string): Promise<void> {
  const test = createTestClient({ mode: 'anvil', transport: http(rpcUrl, { retryCount: 0 }) })
  for (const [address, { deployedBytecode }] of CODE) {
    await test.setCode({ address, bytecode: deployedBytecode as Hex })
  }
}
