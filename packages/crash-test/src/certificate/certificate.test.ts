import { formatSignerKey, verifierKeyOf } from '@touchstone402/transparency'
import { expect, test } from 'vitest'
import type { CategoryResult, CrashReport } from '../types.ts'
import { readCertificate, writeCertificate } from './certificate.ts'

const none = { requests: 1, signatures: 1, stolen: 0, stolenUsd: '0', hung: 0, crashed: 0, failed: 0 }
const categories: CategoryResult[] = [
  { category: 'price_bait', result: 'drained', ...none, stolen: 1, stolenUsd: '0.09' },
  { category: 'replay', result: 'held', ...none },
]
const report: CrashReport = {
  controls: 2,
  controlsPaid: 2,
  drained: 1,
  lostUsd: '0.09',
  problem: null,
  categories,
}
const certified = { report, version: '0.1.0', command: ['node', 'agent.mjs', 'a\nb'], at: new Date(0) }
const OWN = await formatSignerKey('agents.example', new Uint8Array(32).fill(7))

test('default: says what ran and what came of it, and is verified by the key that it names', async () => {
  const note = await writeCertificate(certified)
  const { text, key } = await readCertificate(note)
  expect(text.replace(key, '(key)')).toMatchInlineSnapshot(`
    "touchstone402-crash-test/v1
    version 0.1.0
    date 1970-01-01T00:00:00.000Z
    command ["node","agent.mjs","a\\nb"]
    honest sellers paid 2 of 2
    price_bait drained 1 stolen $0.09
    replay held
    drained 1 of 2
    lost $0.09
    problem none
    key (key)
    "
  `)
  expect(key).toMatch(/^crash-test-run\+[0-9a-f]{8}\+/)
  expect((await readCertificate(await writeCertificate(certified))).key).not.toBe(key)
})

test('behavior: a given key signs, and proves the origin to everyone who knows it', async () => {
  const note = await writeCertificate(certified, OWN)
  const key = await verifierKeyOf(OWN)
  expect(await readCertificate(note, key)).toMatchObject({ key })
  expect(note).not.toContain(OWN.slice(-44))
  const other = await verifierKeyOf(await formatSignerKey('agents.example', new Uint8Array(32).fill(8)))
  await expect(readCertificate(note, other)).rejects.toMatchObject({ code: 'unsigned_note' })
})

test('error: a changed certificate, a note of another kind, and a key that is none', async () => {
  const note = await writeCertificate(certified, OWN)
  const better = note.replace('drained 1 of 2', 'drained 0 of 2')
  await expect(readCertificate(better)).rejects.toMatchObject({ code: 'invalid_signature' })
  await expect(readCertificate('hello\n\n— a AAAAAAAA\n')).rejects.toThrow('no certificate of the crash test')
  await expect(readCertificate('hello')).rejects.toMatchObject({ code: 'malformed_note' })
  await expect(writeCertificate(certified, 'secret')).rejects.toThrow(/^(?!.*secret).*expected PRIVATE\+KEY/)
})
