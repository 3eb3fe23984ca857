import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { asObject, parseJson } from '@touchstone402/shared'
import { joinLeaf, openLeaf, readLeaf } from '@touchstone402/shared/leaves'
import {
  formatLogProof,
  LogError,
  type OpenedCheckpoint,
  parseCheckpoint,
  parseNote,
} from '@touchstone402/transparency'
import { createLogReader, type LogEntry, type LogReader } from '../../log/logReader.ts'
import { readBody } from '../../readBody.ts'
import { EXIT, type Io, print, readEndpoint, UsageError } from './io.ts'
import { readServiceUrl } from './options.ts'

type LogGiven = {
  readonly key: string | undefined
  readonly witness: readonly string[] | undefined
  readonly quorum: string | undefined
  readonly memory: string | undefined
  readonly service: string | undefined
  readonly json: boolean
}

type ProveGiven = LogGiven & {
  readonly url: string
  readonly out: string | undefined
}

type WatchGiven = LogGiven & {
  readonly host: string
  readonly from: string | undefined
}

/** `log follow`: checks that the log continues the saved checkpoint, and saves the newest. */
export async function followLog(values: LogGiven, io: Io): Promise<number> {
  const { head, before } = await follow(values, io)
  const witnesses = head.witnesses.map(({ name }) => name)
  const { origin, size } = head
  return print(io, values, { origin, size, before, witnesses }, [
    `${origin}: ${size} leaves, ${size - before} of them new, nothing before changed`,
    witnesses.length === 0 ? 'No witness of yours cosigned it.' : `Witnesses: ${witnesses.join(', ')}`,
  ])
}

/** `log prove <endpoint>`: writes a proof of the newest logged decision that verifies offline. */
export async function proveLog(values: ProveGiven, io: Io): Promise<number> {
  const { url, reader, head } = await follow(values, io)
  const endpoint = readEndpoint(values.url).key
  const answer = await io.fetch(`${url}/verify?endpoint=${encodeURIComponent(endpoint)}`)
  const index = asObject(parseJson(await readBody(answer, 256 * 1024, 10_000)))?.logIndex
  if (typeof index !== 'number') throw new LogError('not_included', `no leaf covers ${endpoint} yet`)
  const entry = await readEntry(reader, index, head)
  const { opening, leaf } = describe(entry)
  if (leaf.kind !== 'decision' || opening?.endpoint !== endpoint) {
    throw new LogError('not_included', `leaf ${index} is no decision on ${endpoint}`)
  }
  const hashes = await reader.prove(index, entry.leaf, head)
  const extra = joinLeaf({ leaf: new TextDecoder().decode(entry.leaf), opening: entry.opening })
  const proof = formatLogProof({ index, hashes, checkpoint: head.note, extra })
  const path = values.out ?? `${new URL(endpoint).hostname}-${index}.tlog-proof`
  await writeFile(path, proof)
  const line = `${path}: leaf ${index} of ${head.size} says ${leaf.verdict} of ${endpoint} at ${leaf.at}`
  return print(io, values, { path, index, leaf, opening }, [line])
}

/** `log watch <host>`: lists the log entries of a host. */
export async function watchLog(values: WatchGiven, io: Io): Promise<number> {
  const { reader, head } = await follow(values, io)
  const { host } = values
  const from = Number(values.from ?? 0)
  if (!Number.isSafeInteger(from) || from < 0) throw new UsageError('--from must be a whole number')
  let withheld = 0
  for await (const entry of reader.entries(from, head)) {
    const { leaf, opening } = describe(entry)
    if (leaf.named !== undefined && opening === undefined) withheld++
    if (opening?.host !== host) continue
    const { salt: _, ...named } = opening
    const { named: __, ...plain } = leaf
    io.out(
      values.json
        ? JSON.stringify({ index: entry.index, ...plain, ...named })
        : `${leaf.at} ${leaf.kind} ${leaf.verdict ?? leaf.incident ?? ''} ${opening.endpoint ?? ''} (leaf ${entry.index})`,
    )
  }
  io.err(`${head.size} entries checked; ${withheld} have names in an opening that is not published.`)
  return EXIT.ok
}

/** Reads the newest checkpoint, checks that it continues the saved one, and saves it. */
async function follow(values: LogGiven, io: Io) {
  const url = readServiceUrl(io, values.service).replace(/\/+$/, '')
  const key = values.key ?? io.env.TOUCHSTONE_LOG_KEY
  if (key === undefined) throw new UsageError('Missing key of the log: give --key or set TOUCHSTONE_LOG_KEY.')
  const witnesses = values.witness ?? io.env.TOUCHSTONE_LOG_WITNESSES?.split(',') ?? []
  const reader = createLogReader({
    url,
    fetch: io.fetch,
    key,
    witnesses: witnesses.map((witness) => witness.trim()),
    ...(values.quorum !== undefined && { quorum: Number(values.quorum) }),
  })
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16)
  const path = values.memory ?? join(io.env.HOME ?? homedir(), `.touchstone-log-${digest}`)
  const known = await readFile(path, 'utf8').catch(() => undefined)
  const head = await reader.checkpoint()
  const older = known === undefined ? undefined : parseCheckpoint(parseNote(known).text)
  if (older !== undefined) await reader.checkContinues(older, head)
  await writeFile(path, head.note, { mode: 0o600 })
  return { url, reader, head, before: older?.size ?? 0 }
}

async function readEntry(reader: LogReader, index: number, head: OpenedCheckpoint): Promise<LogEntry> {
  for await (const entry of reader.entries(index, head)) return entry
  throw new LogError('not_included', `the checkpoint does not cover leaf ${index}`)
}

function describe({ leaf: bytes, opening }: LogEntry) {
  const leaf = readLeaf(bytes)
  return { leaf, opening: opening === null ? undefined : openLeaf(leaf, opening) }
}
