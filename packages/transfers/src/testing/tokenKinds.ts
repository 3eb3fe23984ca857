import { readFileSync } from 'node:fs'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, numberToHex } from 'viem'
import type { Address } from '../types.ts'
import { connectAnvil, sendMined } from './anvil.ts'

/** A contract of tokenKinds.sol. */
export type TokenKind =
  | 'Plain'
  | 'SilentFee'
  | 'LoggedFee'
  | 'Rebasing'
  | 'WrappedEther'
  | 'EchoingEther'
  | 'Staked'
  | 'Inventing'
  | 'Unindexed'
  | 'Cycling'
  | 'Hiding'
  | 'Airdrop'
  | 'Hybrid'
  | 'Erc404'
  | 'FirstErc404'
  | 'Proxy'
  | 'MaskedNft'
  | 'Nft'

type Compiled = { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
type Output = {
  readonly errors?: { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, Compiled>>>>
}

const FILE = 'tokenKinds.sol'

async function compile(): Promise<Readonly<Record<string, Compiled>>> {
  // Loading the compiler takes seconds, which tests without contracts need not wait for.
  const { default: solc } = await import('solc')
  const content = readFileSync(new URL(`./${FILE}`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [FILE]: { content } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const found = output.contracts?.[FILE]
  if (output.errors?.length || found === undefined)
    throw new Error(
      output.errors?.map((error) => error.formattedMessage).join('\n') ?? 'solc returned nothing',
    )
  return found
}

/** Deploys and uses the contracts of tokenKinds.sol, by default from the first account of a local chain. */
export type TokenKinds = {
  deploy(kind: TokenKind, args?: readonly unknown[]): Promise<Address>
  /** Deploys a token and gives the account its supply. */
  deployToken(
    kind: TokenKind,
    about: { name: string; symbol: string; decimals: number; supply: bigint },
  ): Promise<Address>
  /** Calls a function in a separate block. `kind` names the interface, `value` is ether. */
  send(
    kind: TokenKind,
    to: Address,
    functionName: string,
    args: readonly unknown[],
    from?: Address,
    value?: bigint,
  ): Promise<void>
}

/** Compiles the contracts and connects to a local chain. */
export async function openTokenKinds(rpcUrl: string): Promise<TokenKinds> {
  const contracts = await compile()
  const { rpc } = connectAnvil(rpcUrl)
  const [account] = (await rpc('eth_accounts')) as readonly Address[]
  if (account === undefined) throw new Error('the chain has no account')

  const contractOf = (kind: TokenKind): Compiled => {
    const contract = contracts[kind]
    if (contract === undefined) throw new Error(`${FILE} has no contract ${kind}`)
    return contract
  }
  const run = async (data: Hex, to?: Address, from = account, value = 0n): Promise<Address | null> => {
    const { status, contractAddress } = await sendMined(rpc, { from, to, data, value: numberToHex(value) })
    if (status !== '0x1') throw new Error('the transaction was reverted')
    return contractAddress
  }

  const kinds: TokenKinds = {
    async deploy(kind, args = []) {
      const { abi, evm } = contractOf(kind)
      const address = await run(encodeDeployData({ abi, bytecode: `0x${evm.bytecode.object}`, args }))
      if (address === null) throw new Error('the transaction created no contract')
      return address
    },
    async deployToken(kind, { name, symbol, decimals, supply }) {
      const token = await kinds.deploy(kind)
      await kinds.send(kind, token, 'init', [name, symbol, decimals, supply])
      return token
    },
    async send(kind, to, functionName, args, from, value) {
      await run(encodeFunctionData({ abi: contractOf(kind).abi, functionName, args }), to, from, value)
    },
  }
  return kinds
}
