import { parseArgs } from 'node:util'
import { explainPolicy } from '../../decide/explainPolicy.ts'
import { ConfigurationError } from '../../errors.ts'
import { replayPolicy } from '../../ledger/replayPolicy.ts'
import { isDatabase } from '../defaultLedger.ts'
import { createFileLedger } from '../fileLedger.ts'
import { type LedgerCheck, verifyLedger } from '../verifyLedger.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readPolicy } from './options.ts'

const options = { json: { type: 'boolean' }, policy: { type: 'string' } } as const

/** `policy explain`: describes a policy. */
export async function explain(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options })
  const policy = await readPolicy(values.policy)
  const lines = explainPolicy(policy)
  if (values.json) io.out(JSON.stringify({ policy, lines }))
  else for (const line of lines) io.out(line)
  return EXIT.ok
}

/** `policy replay`: applies another policy to the payments of a ledger. */
export async function replay(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const ledger = await readIntactLedger(positionals)
  const result = replayPolicy(await readPolicy(values.policy), ledger.events)
  if (values.json) {
    io.out(JSON.stringify(result))
    return EXIT.ok
  }
  for (const { at, endpoint, amountUsd, code } of result.blocked) {
    io.out(`${new Date(at).toISOString()}  blocked  $${amountUsd}  ${endpoint}  ${code}`)
  }
  for (const { at, endpoint, amountUsd } of result.allowed) {
    io.out(`${new Date(at).toISOString()}  allowed  $${amountUsd}  ${endpoint}`)
  }
  const { payments, blocked, allowed, asked, savedUsd } = result
  io.out(
    `Of ${payments} payments, ${blocked.length} are blocked and ${asked} need approval; $${savedUsd} saved.`,
  )
  io.out(`Of the refused payments, ${allowed.length} are allowed.`)
  return EXIT.ok
}

/** `ledger verify`: checks a ledger for missing or changed lines. */
export async function verify(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { json: options.json }, allowPositionals: true })
  const { events, ...result } = await readLedger(positionals)
  if (values.json) io.out(JSON.stringify({ ...result, events: events.length }))
  else if (result.ok) io.out(`${result.lines} lines by ${result.writers} writers; none missing.`)
  else io.out(`Broken at line ${result.brokenAt} of ${result.brokenIn}: ${result.reason}.`)
  if (!values.json && result.unreadable > 0) io.out(`${result.unreadable} unreadable lines.`)
  return result.ok ? EXIT.ok : EXIT.refused
}

/** `ledger receipts`: lists the receipts and signed offers of a ledger. */
export async function receipts(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { json: options.json }, allowPositionals: true })
  const { events } = await readIntactLedger(positionals)
  const found = events.filter(({ offerProof, receipt }) => offerProof || receipt)
  if (values.json) {
    io.out(JSON.stringify({ receipts: found.map(({ verdict: _, ...event }) => event) }))
    return EXIT.ok
  }
  for (const { at, endpoint, payment, offerProof, receipt } of found) {
    const what =
      receipt !== null
        ? `receipt of ${payment?.payTo}`
        : offerProof?.signedBy === 'receiver'
          ? `offer signed by ${payment?.payTo}`
          : 'offer not signed by its receiver'
    io.out(`${new Date(at).toISOString()}  $${payment?.amountUsd}  ${endpoint}  ${what}`)
  }
  if (found.length === 0) io.out('No receipts.')
  return EXIT.ok
}

/** `ledger compact`: begins a new file, so that the ledger opens fast. */
export async function compact(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { json: options.json }, allowPositionals: true })
  const { events: _, ...before } = await readLedger(positionals)
  if (!before.ok)
    throw new UsageError(`The ledger is broken in ${before.brokenIn}: ${before.reason}; it is left as it is.`)
  const ledger = await createFileLedger(positionals[0] ?? '')
  await ledger.compact()
  await ledger.close()
  const result = { lines: before.lines, files: before.files + 1 }
  if (values.json) io.out(JSON.stringify(result))
  else io.out(`Compacted ${result.lines} lines; the ledger continues in file ${result.files}.`)
  return EXIT.ok
}

async function readIntactLedger(positionals: string[]): Promise<LedgerCheck> {
  const ledger = await readLedger(positionals)
  if (ledger.ok) return ledger
  throw new UsageError(
    `The ledger is broken at line ${ledger.brokenAt} of ${ledger.brokenIn}: ${ledger.reason}.`,
  )
}

async function readLedger([path, ...more]: string[]): Promise<LedgerCheck> {
  if (path === undefined || more.length > 0) throw new UsageError('Expected one ledger file.')
  if (isDatabase(path)) {
    throw new UsageError(
      'A PostgreSQL ledger is checked whenever it is opened, as by budget; give a ledger file.',
    )
  }
  return verifyLedger(path).catch((cause: unknown) => {
    throw cause instanceof ConfigurationError ? cause : new UsageError(`Cannot read the ledger ${path}.`)
  })
}
