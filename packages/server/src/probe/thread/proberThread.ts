// Entry point of the worker thread that `createThreadProber` starts.
import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { workerData } from 'node:worker_threads'
import type { OwnFault } from '../../facts/facts.ts'
import type { ProbeTarget } from '../../lib/prober.ts'
import { serveThread } from '../../lib/thread/serveThread.ts'
import { yieldPriority } from '../../lib/thread/yieldPriority.ts'
import { createProber, type ProberOptions } from '../createProber.ts'
import { readCode } from '../errors.ts'
import { createProgramExchanges } from '../realClients/exchangeByProgram.ts'

/** The `workerData` of the thread. */
export type ProberThreadData = Omit<ProberOptions, 'lookup'> & {
  /** Whether the thread asks the main thread to resolve names, since a function cannot be cloned. */
  readonly hasLookup: boolean
}

/** Methods of the main thread. */
export type ProberMainMethods = { lookUp(hostname: string): Promise<readonly LookupAddress[]> }

/** Methods of the thread. */
export type ProberMethods = typeof methods

yieldPriority()
const { hasLookup, ...rest }: ProberThreadData = workerData
const prober = createProber(hasLookup ? { ...rest, lookup: lookUpInMain } : rest, createProgramExchanges())
const methods = {
  probe: (target: ProbeTarget, signal: AbortSignal) => prober.probe(target, signal),
  /** Returns the text, or why it could not be read if the fault is ours. */
  async document({ url, maxBytes }: { url: string; maxBytes: number | undefined }, signal: AbortSignal) {
    let ownFault: OwnFault | null = null
    const onOwnFault = (cause: OwnFault) => {
      ownFault = cause
    }
    const text = await prober.document(url, signal, onOwnFault, maxBytes)
    return { text, ownFault: ownFault as OwnFault | null }
  },
}
const callMain = serveThread<ProberMainMethods>(methods)

function lookUpInMain(...[hostname, , answer]: Parameters<LookupFunction>): void {
  callMain('lookUp', hostname).then(
    (addresses) => answer(null, [...addresses]),
    (error: unknown) =>
      answer(Object.assign(new Error(hostname), { code: readCode(error) ?? 'UNKNOWN' }), []),
  )
}
