import type { ExpiryProof, Reservation } from '../ledger/ledger.ts'

/** Creates a reservation of $0.01 at `a.example`, now. */
export function aRequest(change: Partial<Reservation> = {}): Reservation {
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
    agent: null,
    amountAtomic: '10000',
    usdMicros: 10_000n,
    isVouched: true,
    ...change,
  }
}

/** Creates the proof that an authorization expired unused. @param until Unix time in seconds of its end */
export function aProof(until: number, change: Partial<ExpiryProof> = {}): ExpiryProof {
  return { at: (until + 1200) * 1000, block: '100', timestamp: until + 1, ...change }
}
