// Entry point of the worker thread that `createThreadProber` starts.
import type { LookupFunction } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { OwnFault } from '../../facts/facts.ts'
import { connectThread } from '../../lib/connectThread.ts'
import { createProber, type ProberOptions } from '../createProber.ts'
import type { LookupAnswer, ThreadOptions, Work, WorkAnswer } from './createThreadProber.ts'
import { yieldPriority } from './yieldPriority.ts'

if (parentPort === null) throw new Error('proberThread must run in a worker thread')
yieldPriority()

const { hasLookup, ...rest }: ThreadOptions = workerData
const connection = connectThread<string, LookupAnswer, Work>(parentPort, work)
const options: ProberOptions = hasLookup ? { ...rest, lookup: lookUpInMain } : rest
const prober = createProber(options)
connection.sayLoaded()

async function work(request: Work, signal: AbortSignal): Promise<WorkAnswer> {
  if (request.kind === 'probe') return { result: await prober.probe(request.target, signal) }
  let ownFault: OwnFault | undefined
  const onOwnFault = (cause: OwnFault) => {
    ownFault = cause
  }
  const document = await prober.document(request.url, signal, onOwnFault, request.maxBytes)
  return ownFault === undefined ? { document } : { ownFault }
}

function lookUpInMain(...[hostname, , answer]: Parameters<LookupFunction>): void {
  void connection.ask(hostname).then((found) => {
    if (found !== undefined && 'addresses' in found) answer(null, [...found.addresses])
    else answer(Object.assign(new Error(hostname), { code: found?.code ?? 'UNKNOWN' }), [])
  })
}
