import type { ReserveRequest } from '../ledger/ledger.ts'

/** Creates a reservation of $0.01 at `a.example`, now. */
export function aRequest(change: Partial<ReserveRequest> = {}): ReserveRequest {
  return {
    at: Date.now(),
    host: 'a.example',
    domain: 'a.example',
    endpoint: 'https://a.example/x',
    call: 'GET https://a.example/x',
    network: 'eip155:8453',
    asset: '0xAA',
    payTo: '0x01',
    task: null,
    amountAtomic: '10000',
    usdMicros: 10_000n,
    isVouched: true,
    ...change,
  }
}
