import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { ProblemError } from '../http/problems.ts'
import { readHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'

/**
 * Returns the indexed host that a path segment names.
 * @throws ProblemError 404 `never_seen` if the index does not hold it.
 */
export function findHost({ readModel }: Pick<PageDeps, 'readModel'>, name = ''): HostDocument {
  const host = readHost(name)
  const document = host === undefined ? undefined : readModel.host(host)
  if (document === undefined) {
    throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
  }
  return document
}
