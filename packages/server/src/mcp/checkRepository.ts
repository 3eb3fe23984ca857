import type { Prober } from '../ports/prober.ts'
import type { RepositoryStatus } from './facts.ts'

/** Checks whether a source repository is reachable, through the address guard, since anyone may list a URL. */
export async function checkRepository(
  prober: Pick<Prober, 'probe'>,
  url: string | null,
  signal?: AbortSignal,
): Promise<RepositoryStatus> {
  if (url === null) return 'unknown'
  const target = { url, method: 'GET', body: null, declaresInput: true, client: 0 }
  const { httpStatus } = await prober.probe(target, signal)
  if (httpStatus === 404 || httpStatus === 410) return 'gone'
  return httpStatus !== null && httpStatus < 400 ? 'present' : 'unknown'
}
