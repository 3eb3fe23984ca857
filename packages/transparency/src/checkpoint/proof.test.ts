import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  COSIGNATURE_TYPE,
  createCosigner,
  formatCheckpoint,
  formatLine,
  formatSignerKey,
  formatVerifierKey,
  hashLeaf,
  type LogError,
  makeLogProof,
  openCheckpoint,
  parseCheckpoint,
  parseLogProof,
  parseSignerKey,
  publicKeyOf,
  readLogPolicy,
  signNote,
  verifierKeyOf,
  verifyLogProof,
} from '../index.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const ORIGIN = 'log.example/log'
const seed = (number: number) => new Uint8Array(32).fill(number)
const leaves = ['a', 'b', 'c', 'd', 'e'].map((text) => new TextEncoder().encode(text))
const read = async () => []

async function openLog() {
  const skey = await formatSignerKey(ORIGIN, seed(1))
  const witnesses = await Promise.all(
    [2, 3, 4].map(async (number) => ({
      key: formatVerifierKey(`w${number}.example`, await publicKeyOf(seed(number)), COSIGNATURE_TYPE),
      sign: (at: number) => createCosigner(`w${number}.example`, seed(number), () => at),
    })),
  )
  const head = { origin: ORIGIN, size: 1, root: hashLeaf(leaves[0] ?? new Uint8Array()) }
  const sign = async (times: readonly number[], body = formatCheckpoint(head)) =>
    signNote(body, [
      await parseSignerKey(skey),
      ...(await Promise.all(times.map((at, index) => witnesses[index]?.sign(at)))).filter(
        (s) => s !== undefined,
      ),
    ])
  return { head, sign, key: await verifierKeyOf(skey), witnesses: witnesses.map(({ key }) => key) }
}

const refused = (code: LogError['code']) => expect.objectContaining({ name: 'LogError', code })

test('default: a checkpoint that sum.golang.org signed', async () => {
  const note =
    'go.sum database tree\n35225469\nvt5T6GaLCXvyHFl9VUvvItR43XZxfLgftEcTyO3eJCQ=\n\n' +
    '— sum.golang.org Az3grpukl5AXaVfYkLiDGORx/DN2nlcS5kZHR5uYOBV2KA2HgXpD+gu9HHONebHLAyaKbbTM75QTtPydhKCExixSfwQ=\n'
  const policy = readLogPolicy({
    key: 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
    origin: 'go.sum database tree',
  })
  const { origin, size } = await openCheckpoint(note, policy, NOW)
  expect([origin, size]).toEqual(['go.sum database tree', 35_225_469])
  const forged = note.replace('35225469', '35225470')
  await expect(openCheckpoint(forged, policy, NOW)).rejects.toEqual(refused('unsigned_checkpoint'))
})

test('default: a proof is made, read back and verified', async () => {
  const { sign, key, witnesses } = await openLog()
  const extra = leaves[0]
  const text = await makeLogProof({ index: 0, size: 1, checkpoint: await sign([NOW, NOW]), extra }, read)
  expect(text.split('\n').slice(0, 4)).toEqual(['c2sp.org/tlog-proof@v1', 'extra YQ==', 'index 0', ''])
  expect(parseLogProof(text).extra).toEqual(extra)
  const policy = readLogPolicy({ key, witnesses })
  const proven = await verifyLogProof(text, extra ?? new Uint8Array(), policy, NOW)
  expect(proven.checkpoint.witnesses.map(({ name }) => name)).toEqual(['w2.example', 'w3.example'])
  await expect(verifyLogProof(text, new Uint8Array(1), policy, NOW)).rejects.toEqual(refused('not_included'))
})

test('behavior: cosignatures count for two hours', async () => {
  const { sign, key, witnesses } = await openLog()
  const policy = readLogPolicy({ key, witnesses, quorum: 2 })
  const open = async (times: readonly number[]) => openCheckpoint(await sign(times), policy, NOW)
  await expect(open([NOW, NOW - 7_200_000])).resolves.toMatchObject({ size: 1 })
  await expect(open([NOW, NOW - 7_201_000])).rejects.toEqual(refused('too_few_witnesses'))
  await expect(open([NOW, NOW + 301_000])).rejects.toEqual(refused('too_few_witnesses'))
  await expect(open([NOW])).rejects.toEqual(refused('too_few_witnesses'))
})

test('error: a witness alone does not speak for the log', async () => {
  const { head, key, witnesses } = await openLog()
  const cosigned = await signNote(formatCheckpoint(head), [
    await createCosigner('w2.example', seed(2), () => NOW),
  ])
  const policy = readLogPolicy({ key, witnesses, quorum: 1 })
  await expect(openCheckpoint(cosigned, policy, NOW)).rejects.toEqual(refused('unsigned_checkpoint'))
})

test('error: a cosignature whose time was changed', async () => {
  const { sign, key, witnesses } = await openLog()
  const note = await sign([NOW - 9_000_000])
  const [line = ''] = note.split('\n').filter((text) => text.startsWith('— w2'))
  const bytes = new Uint8Array(Buffer.from(line.split(' ')[2] ?? '', 'base64'))
  new DataView(bytes.buffer).setBigUint64(4, BigInt(NOW / 1000))
  const keyId = new DataView(bytes.buffer).getUint32(0)
  const forged = note.replace(
    `${line}\n`,
    formatLine({ name: 'w2.example', keyId, signature: bytes.slice(4) }),
  )
  const policy = readLogPolicy({ key, witnesses, quorum: 1 })
  await expect(openCheckpoint(forged, policy, NOW)).rejects.toEqual(refused('unsigned_checkpoint'))
})

test('error: the checkpoint of another log that the same key signed', async () => {
  const { head, sign, key } = await openLog()
  const other = await sign([], formatCheckpoint({ ...head, origin: 'other.example/log' }))
  await expect(openCheckpoint(other, readLogPolicy({ key }), NOW)).rejects.toEqual(refused('wrong_origin'))
})

test('error: texts that are no checkpoints', () => {
  const root = 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0='
  expect(parseCheckpoint(`o\n1\n${root}\nextension\n`)).toMatchObject({ origin: 'o', size: 1 })
  for (const text of [
    '',
    `o\n1\n${root}`,
    `\n1\n${root}\n`,
    `o\n01\n${root}\n`,
    `o\n-1\n${root}\n`,
    `o\n1e3\n${root}\n`,
    `o\n99999999999999999\n${root}\n`,
    `o\n1\n${root.slice(4)}\n`,
    `o\n1\n${root}\n\nx\n`,
  ]) {
    expect(() => parseCheckpoint(text), text).toThrow('expected an origin, a size and a root')
  }
})

test('error: texts that are no proofs', async () => {
  const { sign } = await openLog()
  const text = await makeLogProof({ index: 0, size: 1, checkpoint: await sign([]) }, read)
  for (const wrong of [
    '',
    text.replace('@v1', '@v2'),
    text.replace('index 0', 'index 00'),
    text.replace('index 0', 'index'),
    text.replace('index 0', 'extra !\nindex 0'),
    text.replace('index 0', 'index 0\nAAAA'),
    text.replace('index 0', `index 0${'\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0='.repeat(64)}`),
  ]) {
    expect(() => parseLogProof(wrong)).toThrow(expect.objectContaining({ code: 'malformed_proof' }))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (hostile) => {
      expect(() => parseLogProof(hostile)).toThrow(expect.objectContaining({ code: 'malformed_proof' }))
    }),
  )
})

test('error: policies that no checkpoint could fulfil', async () => {
  const { key, witnesses } = await openLog()
  const [first = ''] = witnesses
  const message = (policy: Parameters<typeof readLogPolicy>[0]) => () => readLogPolicy(policy)
  expect(message({ key, witnesses, quorum: 4 })).toThrow(
    'log.quorum: expected a whole number from 0 to the 3 witnesses',
  )
  expect(message({ key, witnesses: [first, first] })).toThrow('log.witnesses: expected each witness once')
  expect(message({ key, witnesses: [key] })).toThrow(
    'log.witnesses[0]: expected the key of a witness (type 0x04)',
  )
  expect(message({ key: first })).toThrow('log.key: expected an Ed25519 key (type 0x01)')
  expect(readLogPolicy({ key, witnesses }).quorum).toBe(2)
  expect(readLogPolicy({ key }).quorum).toBe(0)
})
