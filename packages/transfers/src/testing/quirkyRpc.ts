import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { BlockRange } from '../types.ts'

/** The node behind the provider. */
export type Upstream = (method: string, params: readonly unknown[]) => Promise<unknown>

/** A refusal: a fault of JSON-RPC, any body that stands for one, or no answer at all. */
export type Refused =
  | { readonly status?: number; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly status?: number; readonly body: unknown }
  | 'hang'

/** Builds a refusal. `fits` is the longest prefix of the range that the provider would answer. */
export type Refuse = (about: { range: BlockRange; cap: number; fits: BlockRange }) => Refused

/** Faults and limits of the provider. They may change while it runs. */
export type Quirks = {
  maxBlocks?: number
  maxResults?: number
  refuse?: Refuse
  /** Builds the refusal of a contract's call; null to make it. */
  refuseCall?: (call: { to: string; data: string }) => Refused | null
  /** Refuses JSON-RPC batches. */
  noBatches?: boolean
  /** Number of logs at which it silently truncates replies. */
  cutAt?: number
  /** Blocks by which its head lags. */
  lag?: number
  /** Blocks by which only its logs lag. */
  silentLag?: number
  /** Whether a request is answered by a node whose logs lag; each one is, if not given. */
  isBehind?: (about: { fromBlock?: string }) => boolean
  /** It returns no logs at all. */
  empty?: boolean
  /** Number of replies with 429 before it answers. */
  busy?: number
  down?: boolean
  /** Block hashes of another chain. */
  forked?: boolean
}

/** A provider with faults and limits, in front of a node. */
export type QuirkyRpc = {
  readonly url: string
  readonly quirks: Quirks
  /** Calls by method since the last reset. */
  readonly calls: Map<string, number>
  stop(): Promise<void>
}

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }
type Filter = { fromBlock: string; toBlock: string; blockHash?: string }

class Refusal extends Error {
  constructor(readonly refused: Refused) {
    super('refused')
  }
}

const hex = (value: number) => `0x${value.toString(16)}`
const TAGS = ['latest', 'safe', 'finalized']

function lagOf(
  { lag = 0, silentLag = 0, isBehind = () => true }: Quirks,
  about: { fromBlock?: string; blockHash?: string },
): number {
  return Math.max(lag, isBehind(about) ? silentLag : 0)
}

/** Hash of a block of another chain. */
const forkedHash = (block: number) => `0x${'f'.repeat(48)}${block.toString(16).padStart(16, '0')}`

/** Answers with the logs of one block, or as nodes do that do not know it. */
async function answerBlock(
  upstream: Upstream,
  filter: { blockHash: string },
  quirks: Quirks,
): Promise<unknown[]> {
  const head = Number(await upstream('eth_blockNumber', []))
  if (quirks.forked) {
    const at = hex(Number.parseInt(filter.blockHash.slice(50), 16))
    const { blockHash: _, ...rest } = filter
    return (await upstream('eth_getLogs', [{ ...rest, fromBlock: at, toBlock: at }])) as unknown[]
  }
  const block = (await upstream('eth_getBlockByHash', [filter.blockHash, false])) as { number: string } | null
  const known = head - lagOf(quirks, filter)
  if (block === null || Number(block.number) > known)
    throw new Refusal({ code: -32000, message: 'unknown block' })
  if (quirks.empty) return []
  return (await upstream('eth_getLogs', [filter])) as unknown[]
}

async function answerLogs(upstream: Upstream, filter: Filter, quirks: Quirks): Promise<unknown[]> {
  if (filter.blockHash !== undefined)
    return answerBlock(upstream, { ...filter, blockHash: filter.blockHash }, quirks)
  const { maxBlocks = Infinity, maxResults = Infinity, refuse } = quirks
  const range = { from: Number(filter.fromBlock), to: Number(filter.toBlock) }
  const reject = (cap: number, fits: BlockRange): never => {
    throw new Refusal(
      refuse?.({ range, cap, fits }) ?? { code: -32000, message: 'limit exceeded: block range too large' },
    )
  }
  if (range.to - range.from + 1 > maxBlocks)
    reject(maxBlocks, { from: range.from, to: range.from + maxBlocks - 1 })
  if (quirks.empty) return []
  const head = Number(await upstream('eth_blockNumber', []))
  const known = head - lagOf(quirks, filter)
  if (known < range.from) return []
  const logs = (await upstream('eth_getLogs', [{ ...filter, toBlock: hex(Math.min(range.to, known)) }])) as {
    blockNumber: string
  }[]
  if (logs.length > maxResults) {
    const over = Number(logs[maxResults]?.blockNumber)
    reject(maxResults, { from: range.from, to: Math.max(range.from, over - 1) })
  }
  return logs.slice(0, quirks.cutAt ?? logs.length)
}

async function answer(upstream: Upstream, { method, params }: Call, quirks: Quirks): Promise<unknown> {
  if (method === 'eth_getLogs') return answerLogs(upstream, params[0] as Filter, quirks)
  const refused =
    method === 'eth_call' ? quirks.refuseCall?.(params[0] as { to: string; data: string }) : null
  if (refused) throw new Refusal(refused)
  const lag = quirks.lag ?? 0
  if (method === 'eth_blockNumber') return hex(Number(await upstream(method, params)) - lag)
  if (method !== 'eth_getBlockByNumber') return upstream(method, params)
  const [at] = params
  const head = Number(await upstream('eth_blockNumber', [])) - lag
  const asked =
    typeof at === 'string' && TAGS.includes(at)
      ? Math.min(head, Number(((await upstream(method, [at, false])) as { number: string }).number))
      : Number(at)
  if (asked > head) return null
  const block = (await upstream(method, [hex(asked), false])) as Record<string, unknown>
  return quirks.forked && block ? { ...block, hash: forkedHash(asked) } : block
}

/** Starts the provider on a free port. It gzips its replies, as real providers do. */
export async function startQuirkyRpc(upstream: Upstream, quirks: Quirks = {}): Promise<QuirkyRpc> {
  const calls = new Map<string, number>()
  const respond = async (call: Call): Promise<{ status: number; body: unknown } | 'hang'> => {
    calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
    const base = { jsonrpc: '2.0', id: call.id }
    try {
      return { status: 200, body: { ...base, result: await answer(upstream, call, quirks) } }
    } catch (error) {
      const refused: Refused =
        error instanceof Refusal
          ? error.refused
          : { code: 3, message: `execution reverted: ${String(error)}` }
      if (refused === 'hang') return refused
      const { status = 200, ...fault } = refused
      return { status, body: 'body' in fault ? fault.body : { ...base, error: fault } }
    }
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      if (quirks.down) {
        response.writeHead(503).end('no backend is currently healthy to serve traffic')
        return
      }
      if ((quirks.busy ?? 0) > 0) {
        quirks.busy = (quirks.busy ?? 0) - 1
        response.writeHead(429, { 'retry-after': '0' }).end('{"error":"Too Many Requests"}')
        return
      }
      const call: unknown = JSON.parse(Buffer.concat(parts).toString())
      if (Array.isArray(call) && quirks.noBatches) {
        response.writeHead(400).end('{"error":{"code":-32600,"message":"batches are not supported"}}')
        return
      }
      const replies = await Promise.all(
        (Array.isArray(call) ? call : [call]).map((each: Call) => respond(each)),
      )
      const told = replies.filter((reply) => reply !== 'hang')
      if (told.length < replies.length) return
      const answered = Array.isArray(call) ? told.map((reply) => reply.body) : told[0]?.body
      const body = typeof answered === 'string' ? answered : JSON.stringify(answered)
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      response.writeHead(told[0]?.status ?? 200, headers).end(gzipSync(body, { level: 1 }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    quirks,
    calls,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
