import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeBase64,
  formatVerifierKey,
  type NoteSigner,
  openNote,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
} from '../index.ts'

// Vectors of Go's golang.org/x/mod/sumdb/note (BSD-3-Clause), note_test.go.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const PETER_PRIVATE = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n'

const peter = parseVerifierKey(PETER)
const enoch = parseVerifierKey(ENOCH)
const named = (lines: { name: string }[]) => lines.map(({ name }) => name)

test('default: signs exactly as Go does', async () => {
  expect(await signNote(TEXT, [await parseSignerKey(PETER_PRIVATE)])).toBe(`${TEXT}\n${PETER_LINE}`)
})

test('default: opens what Go signed and tells known keys from unknown ones', async () => {
  const note = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`
  const one = await openNote(new TextEncoder().encode(note), [peter])
  expect(one.text).toBe(TEXT)
  expect([named(one.signatures), named(one.unverified)]).toEqual([['PeterNeumann'], ['EnochRoot']])
  const both = await openNote(note, [peter, enoch])
  expect([named(both.signatures), named(both.unverified)]).toEqual([['PeterNeumann', 'EnochRoot'], []])
})

test('behavior: counts repeated signatures once', async () => {
  const note = `${TEXT}\n${PETER_LINE.repeat(2)}${ENOCH_LINE.repeat(3)}`
  const opened = await openNote(note, [peter])
  expect([opened.signatures.length, opened.unverified.length]).toEqual([1, 1])
})

test('behavior: replaces the signature of a key that signs again and keeps the others', async () => {
  const { signatures } = parseNote(`${TEXT}\n${ENOCH_LINE}${PETER_LINE}`)
  const note = await signNote(TEXT, [await parseSignerKey(PETER_PRIVATE)], signatures)
  expect(note).toBe(`${TEXT}\n${ENOCH_LINE}${PETER_LINE}`)
})

test('error: refuses a note that no known key signed', async () => {
  const misnamed = PETER_LINE.replace('PeterNeumann', 'CarmenSandiego')
  const otherId = PETER_LINE.replace('x08g', 'xxxx')
  for (const lines of [ENOCH_LINE, misnamed, otherId]) {
    await expect(openNote(`${TEXT}\n${lines}`, [peter])).rejects.toMatchObject({ code: 'unsigned_note' })
  }
  await expect(openNote(`${TEXT}\n${PETER_LINE}`, [])).rejects.toMatchObject({ code: 'unsigned_note' })
})

test('error: refuses the whole note if a known key did not sign it', async () => {
  const changed = `${TEXT.replace('answer', 'anSwer')}\n${PETER_LINE}`
  await expect(openNote(changed, [peter])).rejects.toMatchObject({ code: 'invalid_signature' })
  const longer = `${TEXT}\n${PETER_LINE.slice(0, 60)}ABCD${PETER_LINE.slice(60)}`
  await expect(openNote(longer, [peter])).rejects.toMatchObject({ code: 'invalid_signature' })
  const oneBad = `${TEXT}\n${PETER_LINE}${ENOCH_LINE.replace('rwz+eB', 'rwz+eC')}`
  await expect(openNote(oneBad, [peter, enoch])).rejects.toMatchObject({ code: 'invalid_signature' })
})

test('error: refuses two known keys of one name and id', async () => {
  await expect(openNote(`${TEXT}\n${ENOCH_LINE}`, [enoch, peter, enoch])).rejects.toMatchObject({
    code: 'ambiguous_key',
  })
  expect((await openNote(`${TEXT}\n${PETER_LINE}`, [enoch, peter, enoch])).text).toBe(TEXT)
})

test('error: refuses what is no note', async () => {
  const malformed: (string | Uint8Array)[] = [
    '',
    '\n\n',
    TEXT,
    `${TEXT}\n`,
    `${TEXT}\n${PETER_LINE.slice(0, -1)}`,
    `\u0001${TEXT}\n${PETER_LINE}`,
    `\t${TEXT}\n${PETER_LINE}`,
    `\ud800${TEXT}\n${PETER_LINE}`,
    Uint8Array.from([0xff, ...new TextEncoder().encode(`${TEXT}\n${PETER_LINE}`)]),
    `${TEXT}\n— Bad Name ${PETER_LINE.split(' ')[2]}`,
    `${TEXT}\n— a+b ${PETER_LINE.split(' ')[2]}`,
    `${TEXT}\n— a\u2003b ${PETER_LINE.split(' ')[2]}`,
    `${TEXT}\n${PETER_LINE}Unexpected line.\n`,
    `${TEXT}\n- PeterNeumann ${PETER_LINE.split(' ')[2]}`,
    `${TEXT}\n— PeterNeumann x08goA\n`,
    `${TEXT}\n— PeterNeumann x08gow==\n`,
    `${TEXT}\n${PETER_LINE.repeat(101)}`,
    `${'x'.repeat(1_000_000)}\n\n${PETER_LINE}`,
  ]
  for (const note of malformed) {
    await expect(openNote(note, [peter])).rejects.toMatchObject({ code: 'malformed_note' })
  }
})

test('error: signs nothing that could not be opened again', async () => {
  const signer = await parseSignerKey(PETER_PRIVATE)
  for (const text of ['', 'no newline', 'tab\there\n', '\ud800\n']) {
    await expect(signNote(text, [signer])).rejects.toMatchObject({ code: 'malformed_note' })
  }
  await expect(signNote(TEXT, [{ ...signer, name: 'bad name' }])).rejects.toMatchObject({
    code: 'malformed_note',
  })
})

test('behavior: opens what any signer of any type signed, and no byte of it changed', async () => {
  const sum = (bytes: Uint8Array) => bytes.reduce((total, byte) => (total * 31 + byte) % 65_521, 7)
  const signer: NoteSigner = {
    name: 'example.com/sum',
    keyId: 0xffffffff,
    sign: async (bytes) => Uint8Array.of(sum(bytes) & 0xff, sum(bytes) >> 8),
  }
  const verify = async (bytes: Uint8Array, signature: Uint8Array) =>
    encodeBase64(signature) === encodeBase64(await signer.sign(bytes))
  const text = fc
    .string({ unit: 'grapheme' })
    .map((line) => `${line.replace(/[\p{Cc}\p{Surrogate}]/gu, '')}\n`)
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1 }), fc.nat(), async (lines, at) => {
      const whole = lines.join('')
      const note = await signNote(whole, [signer])
      expect((await openNote(note, [{ ...signer, verify }])).text).toBe(whole)
      const bytes = new TextEncoder().encode(note)
      const place = at % new TextEncoder().encode(whole).length
      bytes[place] = (bytes[place] ?? 0) ^ 1
      await expect(openNote(bytes, [{ ...signer, verify }])).rejects.toThrow()
    }),
  )
})

test('error: hostile bytes are refused without another error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      await expect(openNote(bytes, [peter])).rejects.toMatchObject({ name: 'NoteError' })
    }),
  )
  expect(() => formatVerifierKey('a b', new Uint8Array(32))).toThrow('expected a key name')
})
