import type { RequestListener } from 'node:http'
import type { EconomyClock } from './clock.ts'
import type { Hosts } from './hostServer.ts'
import { sendJson } from './http.ts'
import { nameOf } from './sellers/nameOf.ts'
import type { SellerSpec } from './sellers/types.ts'
import type { SellerHandle } from './types.ts'
import { walletAt } from './wallets.ts'

/**
 * Opens each seller on a separate host and waits until all are ready.
 * @throws if two sellers have the same id or name, or one cannot start.
 */
export async function openSellers(
  specs: readonly SellerSpec[],
  shared: { hosts: Hosts; clock: EconomyClock; startedAt: number; facilitatorUrl: string },
): Promise<SellerHandle[]> {
  const ids = specs.map(({ id }) => id)
  refuseDuplicate('id', ids)
  refuseDuplicate('name', specs.map(nameOf))
  return Promise.all(specs.map((spec) => openSeller(spec, shared)))
}

function refuseDuplicate(what: string, values: readonly string[]): void {
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) throw new Error(`duplicate seller ${what} ${twice}`)
}

async function openSeller(
  spec: SellerSpec,
  shared: Parameters<typeof openSellers>[1],
): Promise<SellerHandle> {
  const { hosts, ...context } = shared
  const { host, counters, serve } = await hosts.open(nameOf(spec))
  const url = `http://${host}${spec.path}`
  const receiver = walletAt(spec.receiver.index).address
  const otherReceiver = walletAt(spec.otherReceiver ?? spec.receiver.index).address
  const seller = spec.create({ ...context, spec, host, url, receiver, otherReceiver })
  await seller.ready
  serve(spec.declares === true ? declare(spec, url, seller.handle) : seller.handle)
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

/** Names the endpoint in the host's `/.well-known/x402`. */
function declare({ method }: SellerSpec, url: string, handle: RequestListener): RequestListener {
  return (request, response) =>
    request.url === '/.well-known/x402'
      ? sendJson(response, 200, { x402: { resources: [{ url, method }] } })
      : handle(request, response)
}
