import { writeFileSync } from 'node:fs'
import { compileUsdc } from './compileUsdc.ts'

const artifact = compileUsdc()
writeFileSync(new URL('./artifacts/Usdc.json', import.meta.url), `${JSON.stringify(artifact, null, 2)}\n`)
console.log(`Usdc: ${artifact.deployedBytecode.length / 2 - 1} bytes, solc ${artifact.solc}`)
