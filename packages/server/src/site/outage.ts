import type { EndpointRow } from '../domain/facts/hostDocument.ts'
import { formatDate } from './format.ts'

/** Says since when a host is out: `dark since 18 Nov 2026`; `invalid` if it answers without a valid challenge. */
export function describeOutage(darkSince: string, endpoints: readonly Pick<EndpointRow, 'status'>[]): string {
  const status = endpoints.some((endpoint) => endpoint.status === 'dark') ? 'dark' : 'invalid'
  return `${status} since ${formatDate(Date.parse(darkSince))}`
}
