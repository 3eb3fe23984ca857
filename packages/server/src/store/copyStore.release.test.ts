import { expect, test } from 'vitest'
import { openStore } from '../services/openStore.ts'
import { copyStore } from './copyStore.ts'
import { publishMapFiles, readMapFile } from './documents.ts'
import { readState } from './endpoints.ts'
import { readEndpointFacts } from './facts.ts'
import { findLeaf } from './log.ts'
import { readObservations } from './observations.ts'
import { aState } from './testing/documents.ts'
import {
  aChange,
  aListing,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aWantedClaim,
  NOON,
} from './testing/records.ts'
import { useScratchFolder } from './testing/scratch.ts'
import { openEmptyDatabase } from './testing/usePostgres.ts'

const scratch = useScratchFolder()
const state = aState()

test('default: a database holds what the folder held, and goes on from there', async () => {
  const folder = await openStore({ databaseUrl: null, dataDir: scratch() })
  const facts = [aListing(), anObservation(), aPurchase(), aReceiver()]
  const incident = { kind: 'incident' as const, id: 'f', at: NOON, incident: anIncident() }
  await folder.write('putEndpoint', state, { facts: [...facts, incident], days: [] })
  await folder.write('append', [{ kind: 'change', id: 'c', at: NOON, change: aChange() }])
  await folder.write('claimPayment', aWantedClaim())
  const leaf = { leaf: '{"a":1}', opening: null, key: 'a' }
  await folder.write('addLeaves', [leaf, leaf])
  await folder.write('sequenceLeaves', 9)
  await publishMapFiles(folder, new Map([['1', Buffer.from('map')]]), {
    latest: 'head',
    isKept: () => true,
  })
  const { url } = await openEmptyDatabase()
  const copied = await copyStore({ directory: scratch() }, { url })
  expect([copied.get('endpoint'), copied.get('look'), copied.get('payment')]).toEqual([1, 1, 1])
  const database = await openStore({ databaseUrl: url, dataDir: '' })
  for (const read of [readState, readEndpointFacts, readObservations])
    expect(await read(database, state.endpoint)).toEqual(await read(folder, state.endpoint))
  expect({ ...(await database.totals(NOON)), tookMs: 0 }).toEqual({
    ...(await folder.totals(NOON)),
    tookMs: 0,
  })
  expect((await database.write('claimPayment', aWantedClaim())).won).toBe(false)
  expect(Buffer.from((await readMapFile(database, '1')) ?? []).toString()).toBe('map')
  await database.write('addLeaves', [{ ...leaf, key: 'b' }])
  expect([await database.write('sequenceLeaves', 9), await findLeaf(database, 'b')]).toEqual([1, 2])
  await database.write('append', [aListing({ endpoint: 'https://api.example/new' })])
  await database.close()
  await folder.close()
  await expect(copyStore({ directory: scratch() }, { url })).rejects.toThrow('The database is not empty')
})
