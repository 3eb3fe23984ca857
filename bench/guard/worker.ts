import { measurePaidCalls } from './paidCalls.ts'

/**
 * Paid calls in a process of their own, since the guard chooses once how it checks signatures. Prints one JSON line.
 * `worker.ts native|script short|long`
 */
const [kind, length] = process.argv.slice(2)
// What the guard meets where there is no Node: without a loader there is nothing native.
if (kind === 'script') Object.defineProperty(process, 'getBuiltinModule', { value: undefined })
const paid = await measurePaidCalls(length === 'short')
const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] }
const isNative = sharedObjects.some((path) => path.includes('secp256k1'))
if (isNative !== (kind === 'native')) throw new Error(`signatures were not checked by ${kind}`)
process.stdout.write(`${JSON.stringify(paid)}\n`)
process.exit(0)
