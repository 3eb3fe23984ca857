import { writeFileSync } from 'node:fs'
import { compileContracts } from './compileContracts.ts'

for (const [name, artifact] of compileContracts()) {
  writeFileSync(
    new URL(`./artifacts/${name}.json`, import.meta.url),
    `${JSON.stringify(artifact, null, 2)}\n`,
  )
  console.log(`${name}: ${artifact.deployedBytecode.length / 2 - 1} bytes, solc ${artifact.solc}`)
}
