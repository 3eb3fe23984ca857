// The process that is killed: it writes looks, documents and claims, and names each once it is acknowledged.
import { aDocument } from '../../testing/documents.ts'
import { anObservation, aWantedClaim, NOON } from '../../testing/records.ts'
import { createEmbeddedStore } from '../createEmbeddedStore.ts'

const [, , directory = '', round = ''] = process.argv
const store = await createEmbeddedStore({ directory })

/** Writes one after the other, beside other such lanes. */
async function write(lane: number): Promise<void> {
  for (let index = 0; ; index++) {
    const id = `${round}-${lane}-${index}`
    const endpoint = `https://h${lane}.example/${round}`
    const look = anObservation({ id, endpoint, host: `h${lane}.example`, at: NOON + index })
    await store.putEndpoint(aDocument({ endpoint, score: index % 100 }), { facts: [look], days: [] })
    if (index % 5 === 0) await store.claims.claim(aWantedClaim({ nonce: id }))
    process.send?.({ id, endpoint, isClaimed: index % 5 === 0 })
  }
}

await Promise.all([0, 1, 2, 3].map(write))
