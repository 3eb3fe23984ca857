import type { Context } from '../context.ts'
import type { Prober } from '../lib/prober.ts'
import type { HostDocuments } from './createHostDocuments.ts'
import type { DirectoryPage } from './directory.ts'

/** Parts that read the documents of hosts. */
export type HostReading = {
  readonly hostDocuments: HostDocuments
  /** Runs work on a host, one piece at a time. */
  readonly hostLeases: {
    alone<T>(
      host: string,
      work: (held: { readonly signal: AbortSignal }) => Promise<T>,
      stop?: AbortSignal,
    ): Promise<T>
  }
  /** Reads documents that their host does not decline to have read. */
  readonly document: Prober['document']
}

/** Reads what the documents of a host declare, given its origin. If they are unread, they are due again soon. */
export async function readHost(
  { clock, store }: Pick<Context, 'clock' | 'store'>,
  { hostDocuments, hostLeases, document }: HostReading,
  origin: string,
  stop?: AbortSignal,
): Promise<DirectoryPage> {
  const { host } = new URL(origin)
  const { page, readAgainMs } = await hostDocuments.read(origin, (url, onOwnFault, maxBytes) =>
    hostLeases.alone(host, ({ signal }) => document(url, signal, onOwnFault, maxBytes), stop),
  )
  if (readAgainMs !== null) await store.write('postponeDocuments', host, clock.now() + readAgainMs)
  return page
}
