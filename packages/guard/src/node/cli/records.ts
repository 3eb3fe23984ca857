import { explainPolicy } from '../../decide/explainPolicy.ts'
import { ConfigurationError } from '../../errors.ts'
import { formatUsd } from '../../formatUsd.ts'
import { replayPolicy } from '../../ledger/replayPolicy.ts'
import { isDatabase } from '../defaultLedger.ts'
import { createFileLedger } from '../fileLedger.ts'
import { type LedgerCheck, readLedger } from '../verifyLedger.ts'
import { EXIT, type Io, print, UsageError } from './io.ts'
import { readPolicy } from './options.ts'

type ExplainGiven = {
  readonly policy: string | undefined
  readonly json: boolean
}

type LedgerGiven = {
  readonly ledger: string
  readonly json: boolean
}

/** `policy explain`: describes a policy. */
export async function explain(values: ExplainGiven, io: Io): Promise<number> {
  const policy = await readPolicy(values.policy)
  const lines = explainPolicy(policy)
  return print(io, values, { policy, lines }, lines)
}

/** `policy replay`: applies another policy to the payments of a ledger. */
export async function replay(values: LedgerGiven & { readonly policy: string }, io: Io): Promise<number> {
  const ledger = await readIntactLedger(values.ledger)
  const result = replayPolicy(await readPolicy(values.policy), ledger.events)
  const { payments, blocked, allowed, asked, savedUsd } = result
  const describe = (what: string, at: number, end: string) => `${new Date(at).toISOString()}  ${what}  ${end}`
  return print(io, values, result, [
    ...blocked.map((one) =>
      describe('blocked', one.at, `${formatUsd(one.amountUsd)}  ${one.endpoint}  ${one.code}`),
    ),
    ...allowed.map((one) => describe('allowed', one.at, `${formatUsd(one.amountUsd)}  ${one.endpoint}`)),
    `Of ${payments} payments, ${blocked.length} are blocked and ${asked} need approval; ${formatUsd(savedUsd)} saved.`,
    `Of the refused payments, ${allowed.length} are allowed.`,
  ])
}

/** `ledger verify`: checks a ledger for missing or changed lines. */
export async function verify(values: LedgerGiven, io: Io): Promise<number> {
  const { events, ...result } = await checkLedger(values.ledger)
  if (values.json) io.out(JSON.stringify({ ...result, events: events.length }))
  else if (result.ok) io.out(`${result.lines} lines by ${result.writers} writers; none missing.`)
  else io.out(`Broken at line ${result.brokenAt} of ${result.brokenIn}: ${result.reason}.`)
  if (!values.json && result.unreadable > 0) io.out(`${result.unreadable} unreadable lines.`)
  return result.ok ? EXIT.ok : EXIT.refused
}

/** `ledger receipts`: lists the receipts and signed offers of a ledger. */
export async function receipts(values: LedgerGiven, io: Io): Promise<number> {
  const { events } = await readIntactLedger(values.ledger)
  const found = events.filter(({ offerProof, receipt }) => offerProof || receipt)
  const lines = found.map(({ at, endpoint, payment, offerProof, receipt }) => {
    const isOffer = offerProof?.signedBy === 'receiver'
    const signed = isOffer ? `offer signed by ${payment?.payTo}` : 'offer not signed by its receiver'
    const signer = receipt?.signedBy === 'key' ? 'a key that it states' : payment?.payTo
    const what = receipt === null ? signed : `receipt of ${signer}`
    return `${new Date(at).toISOString()}  $${payment?.amountUsd}  ${endpoint}  ${what}`
  })
  const data = { receipts: found.map(({ verdict: _, ...event }) => event) }
  return print(io, values, data, lines.length > 0 ? lines : ['No receipts.'])
}

/** `ledger compact`: begins a new file, so that the ledger opens fast. */
export async function compact(values: LedgerGiven, io: Io): Promise<number> {
  const { events: _, ...before } = await checkLedger(values.ledger)
  if (!before.ok)
    throw new UsageError(`The ledger is broken in ${before.brokenIn}: ${before.reason}; it is left as it is.`)
  const ledger = await createFileLedger(values.ledger)
  await ledger.compact()
  await ledger.close()
  const result = { lines: before.lines, files: before.files + 1 }
  const line = `Compacted ${result.lines} lines; the ledger continues in file ${result.files}.`
  return print(io, values, result, [line])
}

/** Receives the lines of a ledger; see `readLedger`. */
export type LedgerListener = Parameters<typeof readLedger>[1]

/** Reads the ledger that a command line names. @throws UsageError if it is broken, or no file */
export async function readIntactLedger(path: string, hear?: LedgerListener): Promise<LedgerCheck> {
  const ledger = await checkLedger(path, hear)
  if (ledger.ok) return ledger
  throw new UsageError(
    `The ledger is broken at line ${ledger.brokenAt} of ${ledger.brokenIn}: ${ledger.reason}.`,
  )
}

async function checkLedger(path: string, hear: LedgerListener = () => {}): Promise<LedgerCheck> {
  if (isDatabase(path)) {
    throw new UsageError(
      'A PostgreSQL ledger is checked whenever it is opened, as by budget; give a ledger file.',
    )
  }
  return readLedger(path, hear).catch((cause: unknown) => {
    throw cause instanceof ConfigurationError ? cause : new UsageError(`Cannot read the ledger ${path}.`)
  })
}
