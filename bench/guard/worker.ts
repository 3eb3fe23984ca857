import { measurePaidCalls } from './paidCalls.ts'

/**
 * Measures paid calls in a separate process, since the guard chooses its signature check once. Prints one JSON line.
 * Usage: `worker.ts native|script short|long`
 */
const [kind, length] = process.argv.slice(2)
// Without a module loader, as outside of Node, no native check is available.
if (kind === 'script') Object.defineProperty(process, 'getBuiltinModule', { value: undefined })
const paid = await measurePaidCalls(length === 'short')
const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] }
const isNative = sharedObjects.some((path) => path.includes('secp256k1'))
if (isNative !== (kind === 'native')) throw new Error(`signatures were not checked by ${kind}`)
process.stdout.write(`${JSON.stringify(paid)}\n`)
process.exit(0)
