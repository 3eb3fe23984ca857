import { parseArgs } from 'node:util'
import { NO_CAP } from '../../decide/budget.ts'
import { type BudgetLine, readBudget } from '../../seats/budget.ts'
import type { OpenedLedger } from '../defaultLedger.ts'
import { EXIT, type Io, UsageError } from './io.ts'
import { openExistingLedger, readPolicy } from './options.ts'

const options = { json: { type: 'boolean' }, ledger: { type: 'string' } } as const

/** `budget`: prints what is spent, reserved and left. */
export async function budget(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: { ...options, policy: { type: 'string' } } })
  const policy = await readPolicy(values.policy)
  const result = await withLedger(values.ledger, io, (ledger) =>
    readBudget({ ledger, policy, cap: NO_CAP, now: Date.now }),
  )
  if (values.json) {
    io.out(JSON.stringify(result))
    return EXIT.ok
  }
  const { isStopped, day, total, unknown, hosts, receivers, unknownDomains } = result
  if (isStopped) io.out('Payments are stopped.')
  io.out(describeLine('Last 24 hours', day))
  io.out(describeLine('Since the beginning', total))
  io.out(describeLine('Without a full verdict, last 24 hours', unknown))
  for (const [host, line] of Object.entries(hosts)) io.out(describeLine(`Host ${host}`, line))
  for (const [payTo, line] of Object.entries(receivers)) io.out(describeLine(`Receiver ${payTo}`, line))
  for (const [domain, line] of Object.entries(unknownDomains)) {
    io.out(describeLine(`Without a full verdict, ${domain}`, line))
  }
  return EXIT.ok
}

function describeLine(name: string, line: BudgetLine): string {
  const { spentUsd, reservedUsd, limitUsd, remainingUsd, resetsAt } = line
  const reserved = reservedUsd === '0' ? '' : `, $${reservedUsd} reserved`
  const left = limitUsd === null ? ', no limit' : ` of $${limitUsd}${reserved}, $${remainingUsd} left`
  return `${name}: $${spentUsd} spent${left}${resetsAt === null ? '' : `, next reset ${resetsAt}`}`
}

/** `stop`: stops the payments of every process that shares the ledger. */
export async function stop(args: string[], io: Io): Promise<number> {
  const { values } = parseArgs({ args, options: { ...options, resume: { type: 'boolean' } } })
  const isStopped = values.resume !== true
  await withLedger(values.ledger, io, (ledger) => ledger.setStopped(isStopped))
  if (values.json) io.out(JSON.stringify({ isStopped }))
  else io.out(isStopped ? 'Payments are stopped. To resume: stop --resume' : 'Payments are allowed again.')
  return EXIT.ok
}

/** `strikes`: lists or clears paid calls without delivery. */
export async function strikes(args: string[], io: Io): Promise<number> {
  return listOrClear('strikes', args, io, (ledger) => {
    const found = ledger.strikes()
    const lines = found.map(({ endpoint, at }) => {
      const last = new Date(Math.max(...at)).toISOString()
      return `${endpoint}: ${at.length} without delivery, last ${last}`
    })
    return { json: { strikes: found }, lines: lines.length > 0 ? lines : ['No strikes.'] }
  })
}

/** `pins`: lists or clears pinned receivers. */
export async function pins(args: string[], io: Io): Promise<number> {
  return listOrClear('pins', args, io, (ledger) => {
    const found = ledger.pins()
    const lines = found.map(({ endpoint, network, payTo }) => `${endpoint}: ${payTo} on ${network}`)
    return { json: { pins: found }, lines: lines.length > 0 ? lines : ['No pins.'] }
  })
}

type Listed = { json: object; lines: string[] }

async function listOrClear(
  kind: 'strikes' | 'pins',
  args: string[],
  io: Io,
  list: (ledger: OpenedLedger) => Listed,
): Promise<number> {
  const { values } = parseArgs({ args, options: { ...options, clear: { type: 'string' } } })
  const { clear } = values
  const { json, lines } = await withLedger(values.ledger, io, async (ledger) => {
    if (clear !== undefined) await ledger.clear(kind, readHost(clear))
    return list(ledger)
  })
  if (values.json) io.out(JSON.stringify({ cleared: clear ?? null, ...json }))
  else for (const line of lines) io.out(line)
  return EXIT.ok
}

function readHost(given: string): string {
  const host = given.toLowerCase()
  if (!URL.canParse(`https://${host}`) || new URL(`https://${host}`).host !== host) {
    throw new UsageError(`--clear: expected a host such as api.example.com, got ${given}`)
  }
  return host
}

async function withLedger<T>(
  path: string | undefined,
  io: Io,
  work: (ledger: OpenedLedger) => T | Promise<T>,
): Promise<T> {
  const ledger = await openExistingLedger(path, io)
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}
