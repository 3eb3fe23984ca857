import { parseArgs } from 'node:util'
import { explainPolicy } from '../../decide/explainPolicy.ts'
import { replayPolicy } from '../../ledger/replayPolicy.ts'
import { type LedgerCheck, verifyLedger } from '../verifyLedger.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { readPolicy } from './options.ts'

const options = { json: { type: 'boolean' }, policy: { type: 'string' } } as const

/** `touchstone policy explain`: what a policy allows, in plain words. */
export async function explain(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options })
  const policy = await readPolicy(values.policy)
  const lines = explainPolicy(policy)
  if (values.json) io.out(JSON.stringify({ policy, lines }))
  else for (const line of lines) io.out(line)
  return EXIT.ok
}

/** `touchstone policy replay`: what another policy would have done with the payments of a ledger. */
export async function replay(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const ledger = await readLedger(positionals)
  if (!ledger.ok)
    throw new UsageError(`The ledger is broken at line ${ledger.brokenAt}; see touchstone ledger verify.`)
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
    `Of ${payments} payments it blocks ${blocked.length} and asks about ${asked}; it saves $${savedUsd}.`,
  )
  io.out(`Of the refusals it would have allowed ${allowed.length}.`)
  return EXIT.ok
}

/** `touchstone ledger verify`: whether lines are missing from a ledger, or were changed. */
export async function verify(args: string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: { json: options.json }, allowPositionals: true })
  const { events, ...result } = await readLedger(positionals)
  if (values.json) io.out(JSON.stringify({ ...result, events: events.length }))
  else if (result.ok) io.out(`${result.lines} lines of ${result.writers} writers, none missing.`)
  else io.out(`Line ${result.brokenAt} does not follow: lines before it are missing or were changed.`)
  if (!values.json && result.unreadable > 0) io.out(`${result.unreadable} lines cannot be read.`)
  return result.ok ? EXIT.ok : EXIT.refused
}

async function readLedger([path, ...more]: string[]): Promise<LedgerCheck> {
  if (path === undefined || more.length > 0) throw new UsageError('Give one ledger file.')
  return verifyLedger(path).catch(() => {
    throw new UsageError(`The ledger ${path} cannot be read.`)
  })
}
