import type { Prober } from '../probe/prober.ts'
import type { OptOutReader } from './readOptOut.ts'

/** Creates a reader of documents that asks no host for one that it declines to have read. */
export function createPermittedDocument(
  optOut: OptOutReader,
  prober: Pick<Prober, 'document'>,
): Prober['document'] {
  return async (url, signal, onOwnFault, maxBytes) => {
    const permission = await optOut.permission(url, signal)
    if (permission === 'granted') return prober.document(url, signal, onOwnFault, maxBytes)
    if (permission !== 'opted_out') onOwnFault?.(permission)
    return null
  }
}
