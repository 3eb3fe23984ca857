import { createClients } from '../../facts/clientIdentities.ts'
import type { Prober } from '../../lib/prober.ts'
import { createThread, ThreadError, type ThreadOptions } from '../../lib/thread/createThread.ts'
import type { WorkLimits } from '../../lib/thread/limitWork.ts'
import { createAddressPolicy } from '../addressPolicy.ts'
import { DEADLINE_MS, type ProberOptions } from '../createProber.ts'
import { describeOwnFault } from '../describeProbe.ts'
import { indexOf } from '../realClients/realClients.ts'
import { fromLookup } from '../resolveHost.ts'
import type { ProberMainMethods, ProberMethods, ProberThreadData } from './proberThread.ts'

/** How the prober thread is started and supervised. */
export type ProberThreadOptions = Pick<ThreadOptions, 'script' | 'heapMb' | 'onError'> & {
  /** Limits of a probe that is still open after its deadline; beyond them the thread hangs. */
  readonly limits: WorkLimits
}

/**
 * Creates a prober that runs in a worker thread, so that TLS handshakes, parsing and their garbage do not delay the
 * thread that serves requests. Probes that are open when the thread dies or hangs are `not_measured`.
 * @throws as `createProber` does
 */
export function createThreadProber(
  { lookup, ...options }: ProberOptions,
  { limits, ...threadOptions }: ProberThreadOptions,
): Prober {
  const clients = createClients(options.contact)
  // Throws for invalid options here, before a thread does.
  createAddressPolicy(options)
  const data: ProberThreadData = { ...options, hasLookup: lookup !== undefined }
  const methods: Partial<ProberMainMethods> = lookup === undefined ? {} : { lookUp: fromLookup(lookup) }
  const thread = createThread<ProberMethods>({ name: 'prober', data, methods, ...threadOptions })

  /** A thread that ends has told `onError` itself. */
  const report = (error: unknown): undefined => {
    if (!(error instanceof ThreadError)) threadOptions.onError(error)
  }
  return {
    clients: clients.length,
    realClients: (options.realClients ?? []).map(indexOf),
    async probe(target, signal) {
      const graceMs = target.deadlineMs ?? DEADLINE_MS
      const result = await thread.call('probe', target, { signal, limits, graceMs }).catch(report)
      return result ?? describeOwnFault(target, clients)
    },
    async document(url, signal, onOwnFault, maxBytes) {
      const asked = { url, maxBytes }
      const answer = await thread
        .call('document', asked, { signal, limits, graceMs: DEADLINE_MS })
        .catch(report)
      const ownFault = answer === undefined ? 'own_fault' : answer.ownFault
      if (ownFault !== null) onOwnFault?.(ownFault)
      return answer?.text ?? null
    },
    close: thread.close,
  }
}
