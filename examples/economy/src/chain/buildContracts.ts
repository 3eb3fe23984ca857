import { writeFileSync } from 'node:fs'
import { CONTRACTS, compileContract } from './compileContracts.ts'

for (const name of Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[]) {
  const artifact = compileContract(name)
  writeFileSync(
    new URL(`./artifacts/${name}.json`, import.meta.url),
    `${JSON.stringify(artifact, null, 2)}\n`,
  )
  console.log(`${name}: ${artifact.deployedBytecode.length / 2 - 1} bytes, solc ${artifact.solc}`)
}
