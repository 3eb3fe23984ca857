import { readFileSync } from 'node:fs'
import solc from 'solc'

/** The contracts of the local chain by source file. */
const CONTRACTS = {
  'Usdc.sol': ['Usdc'],
  'Wallets.sol': ['WalletFactory', 'CarelessWallet'],
  'Permit2.sol': ['Permit2', 'UptoProxy'],
} as const

/** A compiled contract: its code, and what is needed to reproduce it from source. */
export type ContractArtifact = {
  contract: string
  /** Full compiler version with its commit. */
  solc: string
  settings: Record<string, unknown>
  abi: unknown[]
  /** Runtime code, 0x-prefixed. The contract has no constructor and no immutables. */
  deployedBytecode: string
}

type Output = {
  errors?: { severity: string; formattedMessage: string }[]
  contracts?: Record<
    string,
    Record<
      string,
      { abi: unknown[]; evm: { deployedBytecode: { object: string; immutableReferences?: object } } }
    >
  >
}

// Without the metadata hash the code does not depend on comments in the source.
const settings = {
  optimizer: { enabled: true, runs: 10_000 },
  viaIR: true,
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
}

/**
 * Compiles every contract with the pinned solc. Returns the artifacts by name.
 * @throws if the compiler reports an error or a warning.
 */
export function compileContracts(): Map<string, ContractArtifact> {
  return new Map(
    Object.entries(CONTRACTS).flatMap(([file, names]) => {
      const output = compileFile(file)
      return names.map((name) => [name, readArtifact(output, file, name)] as const)
    }),
  )
}

function compileFile(file: string): Output {
  const content = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      ...settings,
      outputSelection: {
        '*': { '*': ['abi', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'] },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  if (output.errors?.length) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  return output
}

function readArtifact(output: Output, file: string, name: string): ContractArtifact {
  const contract = output.contracts?.[file]?.[name]
  if (!contract) throw new Error(`solc returned no contract named ${name}`)
  const { object, immutableReferences } = contract.evm.deployedBytecode
  if (Object.keys(immutableReferences ?? {}).length > 0) throw new Error(`${name} must not have immutables`)
  return {
    contract: name,
    solc: solc.version(),
    settings,
    abi: contract.abi,
    deployedBytecode: `0x${object}`,
  }
}
