import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createCosigner, formatVerifierKey, openNote, parseWitnessKey, readLogPolicy } from '../index.ts'
import { createMemoryBook, createWitness } from './index.ts'

/** Requests to another witness in sequence, and its answers. */
const VECTORS: {
  logKeyHex: string
  witnessSeedHex: string
  requests: { body: string; status: number; answer?: string }[]
} = JSON.parse(readFileSync(new URL('../../fixtures/tlog-witness.json', import.meta.url), 'utf8'))

const ORIGIN = 'sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562'
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

test('default: answers the requests of the tests of litewitness as it does', async () => {
  const cosigner = await createCosigner('example.com/witness', hex(VECTORS.witnessSeedHex), Date.now)
  const witness = createWitness({
    logs: [readLogPolicy({ key: formatVerifierKey(ORIGIN, hex(VECTORS.logKeyHex)) })],
    cosigner,
    book: createMemoryBook(),
  })
  const statuses: number[] = []
  for (const { body, status, answer } of VECTORS.requests) {
    const made = await witness.addCheckpoint(body)
    expect([body, made.status]).toEqual([body, status])
    if (answer !== undefined) expect(made.body).toBe(answer)
    if (status === 200) {
      const text = body.slice(body.indexOf('\n\n') + 2, body.lastIndexOf('\n\n') + 2)
      const { signatures } = await openNote(text + made.body, [parseWitnessKey(cosigner.verifierKey)])
      expect(signatures).toHaveLength(1)
    }
    statuses.push(made.status)
  }
  expect(statuses).toEqual([200, 403, 404, 422, 422, 200, 409, 200, 409])
})
