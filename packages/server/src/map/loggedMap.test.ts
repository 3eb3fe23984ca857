import { createLogCheck } from '@touchstone402/guard/log'
import { readMapHeader } from '@touchstone402/shared/map'
import { formatSignerKey, parseNote, parseSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { createLogPublisher } from '@touchstone402/transparency/publisher'
import { expect, test } from 'vitest'
import { MINUTE } from '../facts/times.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'
import { logStorage } from '../log/logStorage.ts'
import { logAndProve } from '../log/proveLeaf.ts'
import { mapLeaf } from '../publish/leaves.ts'
import { readMapFile } from '../store/documents.ts'
import { readLogSize } from '../store/log.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { clockAt } from '../testing/clockAt.ts'
import { openMapDraft } from './createMapMaker.ts'

const scratch = useScratchFolder()
const fail = (error: unknown) => {
  throw error
}

test('behavior: a version is logged before it is published, and its header proves it', async () => {
  let now = Date.now()
  const directory = scratch()
  const store = createMemoryStore()
  const files = store
  const signerKey = await formatSignerKey('touchstone.example/log', new Uint8Array(32).fill(1))
  const signer = await parseSignerKey(signerKey)
  const publisher = createLogPublisher({
    log: logStorage(store),
    signer,
    witnesses: [],
    now: () => now,
    onError: fail,
  })
  const maker = await openMapDraft({
    store,
    files,
    issuer: 'https://touchstone.example',
    scoreVersion: '1.2.0',
    signer: await createDecisionSigner({ directory }),
    clock: clockAt(() => now),
    proveLeaf: ({ version, sha256 }) => logAndProve(store, publisher.publish, mapLeaf(version, sha256, now)),
    onError: fail,
  })
  const key = await verifierKeyOf(signerKey)
  const { verifyMap } = createLogCheck({ key, now: () => now })
  const readLatest = async () => readMapHeader(parseNote((await readMapFile(files, 'latest')) ?? '').text)
  await store.write('putEndpoint', aState({ derivedAt: now }))
  await maker.scan()
  await maker.publish()
  const first = await readLatest()
  expect(await verifyMap(first.proof, first)).toBe(true)
  expect(await verifyMap(first.proof, { ...first, version: first.version + 1 })).toBe(false)
  // A header that is signed again gets a proof under the newest checkpoint, and no second leaf.
  now += 11 * MINUTE
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://another.example/', host: 'another.example', derivedAt: now }),
  )
  await maker.publish()
  const again = await readLatest()
  expect(again).toMatchObject({ version: first.version, issuedAt: now })
  expect(await verifyMap(again.proof, again)).toBe(true)
  expect(await readLogSize(store)).toBe(1)
  await maker.close()
})
