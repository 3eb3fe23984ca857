import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import {
  createEd25519Verifier,
  ED25519_TYPE,
  formatSignerKey,
  formatVerifierKey,
  keyIdOf,
  openNote,
  parseSignerKey,
  parseVerifierKey,
  publicKeyOf,
  readVerifierKey,
  signEd25519,
  signNote,
  verifierKeyOf,
} from '../index.ts'

// Vectors of Go's golang.org/x/mod/sumdb/note (BSD-3-Clause), note_test.go.
const PUBLIC = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const PRIVATE = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'

/** Every proper part of a text, and the text with each character replaced by the next one. */
function mangle(text: string): string[] {
  const characters = [...text]
  const parts = characters.flatMap((_, start) =>
    characters.map((_, length) => text.slice(start, start + length + 1)),
  )
  const changed = characters.map((character, at) => {
    const next = String.fromCharCode(character.charCodeAt(0) + 1)
    return text.slice(0, at) + next + text.slice(at + 1)
  })
  return [...new Set([...parts, ...changed])].filter((part) => part !== text)
}

afterEach(() => vi.restoreAllMocks())

test('default: reads the keys that Go writes and writes them again', async () => {
  const { name, keyId, type, publicKey } = readVerifierKey(PUBLIC)
  expect([name, keyId, type]).toEqual(['PeterNeumann', 0xc74f20a3, ED25519_TYPE])
  expect(formatVerifierKey(name, publicKey)).toBe(PUBLIC)
  expect(await verifierKeyOf(PRIVATE)).toBe(PUBLIC)
  expect((await parseSignerKey(PRIVATE)).keyId).toBe(keyId)
})

test('default: a generated key signs and verifies', async () => {
  const signerKey = await formatSignerKey('example.com/log', crypto.getRandomValues(new Uint8Array(32)))
  const note = await signNote('hello\n', [await parseSignerKey(signerKey)])
  expect((await openNote(note, [parseVerifierKey(await verifierKeyOf(signerKey))])).text).toBe('hello\n')
})

test('error: refuses every part and every mangling of a key', async () => {
  for (const text of mangle(PUBLIC)) expect(() => parseVerifierKey(text)).toThrow()
  for (const text of mangle(PRIVATE)) await expect(parseSignerKey(text)).rejects.toThrow()
})

test('error: refuses keys of another length or type whose ids fit', () => {
  const longer = 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='
  const unknownType = 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
  for (const text of [longer, unknownType, '', '+', `${'x'.repeat(2000)}+00000000+`]) {
    expect(() => parseVerifierKey(text)).toThrow(expect.objectContaining({ code: 'malformed_key' }))
  }
})

test('behavior: the type of a key is part of its id', () => {
  const { publicKey } = readVerifierKey(PUBLIC)
  const cosigner = formatVerifierKey('PeterNeumann', publicKey, 0x04)
  expect(readVerifierKey(cosigner)).toMatchObject({
    type: 0x04,
    keyId: keyIdOf('PeterNeumann', 0x04, publicKey),
  })
  expect(() => parseVerifierKey(cosigner)).toThrow('Ed25519')
})

test('behavior: Node and the fallback agree in both directions', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32)
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const message = new TextEncoder().encode('cryptography is the answer')
  const other = Uint8Array.from(message, (byte) => byte ^ 1)

  const check = async () => {
    expect(await publicKeyOf(seed)).toEqual(new Uint8Array(raw))
    const signature = await signEd25519(seed, message)
    expect(verify(null, message, publicKey, signature)).toBe(true)
    expect(await createEd25519Verifier(raw)(message, sign(null, message, privateKey))).toBe(true)
    expect(await createEd25519Verifier(raw)(other, signature)).toBe(false)
    expect(await createEd25519Verifier(raw)(message, signature.slice(1))).toBe(false)
    expect(await createEd25519Verifier(raw.subarray(1))(message, signature)).toBe(false)
    expect(await createEd25519Verifier(new Uint8Array(32).fill(0xff))(message, signature)).toBe(false)
  }
  await check()
  const unsupported = new DOMException('Unrecognized algorithm name', 'NotSupportedError')
  const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(unsupported)
  await check()
  expect(importKey).toHaveBeenCalled()
})
