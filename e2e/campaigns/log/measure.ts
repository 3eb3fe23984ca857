import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logStorage, openStore, proveLeaf, readHead } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import { readLogPolicy, verifyLogProof } from '@touchstone402/transparency'
import { createLogPublisher } from '@touchstone402/transparency/publisher'
import type { Keys } from './world.ts'

const BATCH = 4_096
const PROOFS = 300

/** Appends leaves to the embedded store and checkpoints them, then makes and verifies proofs. */
export async function measureLog(keys: Keys, leaves: number) {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-log-speed-'))
  const store = await openStore({ databaseUrl: null, dataDir: directory })
  try {
    const now = Date.now
    const publisher = createLogPublisher({
      log: logStorage(store),
      signer: keys.log,
      witnesses: [],
      now,
      onError: (error) => {
        throw error
      },
    })
    const startedAt = performance.now()
    for (let from = 0; from < leaves; from += BATCH) {
      const count = Math.min(BATCH, leaves - from)
      await store.write(
        'addLeaves',
        Array.from({ length: count }, (_, at) => decisionAt(from + at)),
      )
      await publisher.publish()
    }
    const seconds = (performance.now() - startedAt) / 1000
    const policy = readLogPolicy({ key: keys.key })
    const made: number[] = []
    const verified: number[] = []
    for (let proof = 0; proof < PROOFS; proof++) {
      const index = Math.floor(Math.random() * leaves)
      const begin = performance.now()
      const entry = await proveLeaf(store, index)
      const middle = performance.now()
      if (entry === undefined) throw new Error(`leaf ${index} is not proven`)
      await verifyLogProof(entry.proof, Buffer.from(entry.leaf), policy, now())
      made.push(middle - begin)
      verified.push(performance.now() - middle)
    }
    const size = (await readHead(store))?.size
    if (size !== leaves) throw new Error(`the checkpoint covers ${size} leaves`)
    return {
      leaves,
      appendPerSecond: Math.round(leaves / seconds),
      proveMs: medianOf(made),
      verifyMs: medianOf(verified),
    }
  } finally {
    await store.close()
    await rm(directory, { recursive: true, force: true })
  }
}

function decisionAt(index: number) {
  const endpoint = `https://h${index % 5_000}.example/paid/${index}`
  const at = new Date(1_769_860_800_000 + index).toISOString()
  const salt = Buffer.alloc(16, index % 256).toString('base64')
  const plain = { flags: [], riskLevel: 'clean', score: 81, scoreVersion: '1.2.0', verdict: 'safe' }
  return {
    ...writeLeaf({ kind: 'decision', at, ...plain }, { salt, host: new URL(endpoint).host, endpoint }),
    key: `decision ${endpoint}`,
  }
}

function medianOf(times: readonly number[]): number {
  const middle = [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  return Math.round(middle * 1000) / 1000
}
