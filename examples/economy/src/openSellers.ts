import type { EconomyClock } from './clock.ts'
import type { HostServer } from './hostServer.ts'
import type { SellerSpec } from './sellers/types.ts'
import type { SellerHandle } from './types.ts'
import { walletAt } from './wallets.ts'

/**
 * Opens each seller on its own hostname of the shared server and waits until all are ready.
 * @throws if two sellers have the same id, or one cannot start.
 */
export async function openSellers(
  specs: readonly SellerSpec[],
  shared: { server: HostServer; clock: EconomyClock; startedAt: number; facilitatorUrl: string },
): Promise<SellerHandle[]> {
  const twice = specs.find(({ id }, index) => specs.findIndex((other) => other.id === id) !== index)
  if (twice) throw new Error(`duplicate seller id ${twice.id}`)
  return Promise.all(specs.map((spec) => openSeller(spec, shared)))
}

async function openSeller(
  spec: SellerSpec,
  shared: Parameters<typeof openSellers>[1],
): Promise<SellerHandle> {
  const { server, ...context } = shared
  const host = `${spec.id}.localhost:${server.port}`
  const url = `http://${host}${spec.path}`
  const receiver = walletAt(spec.receiver.index).address
  const otherReceiver = walletAt(spec.otherReceiver ?? spec.receiver.index).address
  const seller = spec.create({ ...context, spec, host, url, receiver, otherReceiver })
  await seller.ready
  const counters = server.open(spec.id, seller.handle)
  return {
    id: spec.id,
    spec,
    host,
    url,
    method: spec.method,
    get receiver() {
      return seller.receiver?.() ?? receiver
    },
    get hits() {
      return counters.hits
    },
    get paid() {
      return counters.paid
    },
    ...(seller.swap ? { swap: seller.swap } : {}),
  }
}
