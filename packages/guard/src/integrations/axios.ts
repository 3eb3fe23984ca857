import { lazy } from '../lazy.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import type { AxiosAdapter, AxiosConfig, AxiosLike } from './axiosRequest.ts'

type Visit = (interceptor: { fulfilled: (config: AxiosConfig) => AxiosConfig; synchronous: true }) => void

/**
 * Puts the guard between an axios instance and the network, whatever payment library is above it.
 * Every request passes the same checks as in the guarded `fetch`, and a retry sends the same payment again.
 *
 * Axios builds each request once; the guard then runs the adapter that the request would have used.
 */
export function guardAxios<Instance extends AxiosLike>(context: GuardContext, instance: Instance): Instance {
  // Loaded with the first request, since most guards have no axios.
  const load = lazy(async () => (await import('./axiosRequest.ts')).createSender(context, instance))
  const known = new WeakSet<object>()
  const guard = (adapter: unknown): AxiosAdapter => {
    if (typeof adapter === 'function' && known.has(adapter)) return adapter as AxiosAdapter
    const guarded: AxiosAdapter = async (config) => (await load())({ ...config, adapter }, config)
    known.add(guarded)
    return guarded
  }
  // For instances that are created from this one.
  instance.defaults.adapter = guard(instance.defaults.adapter)
  const requests = instance.interceptors.request as { forEach(visit: Visit): void }
  const forEach = requests.forEach.bind(requests)
  const fulfilled = (config: AxiosConfig) => Object.assign(config, { adapter: guard(config.adapter) })
  // By its version and options axios runs the first interceptor last, or the last one.
  requests.forEach = (visit) => {
    visit({ fulfilled, synchronous: true })
    forEach(visit)
    visit({ fulfilled, synchronous: true })
  }
  return instance
}
