import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fuzzRuns } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { sign } from 'viem/accounts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { recoverSignerBy } from './authorization.ts'
import { bytesToHex, concat, hexToBytes, word } from './bytes.ts'
import { chooseRecoverKey, loadNativeRecoverKey, type RecoverKey, recoverKeyInScript } from './recoverKey.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const PRIME = 2n ** 256n - 2n ** 32n - 977n
const EDGES = [0n, 1n, 2n, ORDER / 2n, ORDER / 2n + 1n, ORDER - 1n, ORDER, ORDER + 1n, PRIME, 2n ** 256n - 1n]

function loadNative(): RecoverKey {
  const native = loadNativeRecoverKey()
  if (native === null) throw new Error('the native package is not installed for this machine')
  return native
}

const scalar = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  // About half of these are x coordinates of a point.
  fc.bigInt({ min: 1n, max: 1000n }),
)
const made = fc
  .record({
    r: scalar,
    s: scalar,
    v: fc.oneof(fc.constantFrom(27, 28), fc.constantFrom(0, 1, 2, 26, 29, 30, 255)),
  })
  .map(({ r, s, v }) => bytesToHex(concat(word(r), word(s), Uint8Array.of(v))))
const malformed = fc.oneof(
  fc.string(),
  fc.uint8Array({ minLength: 60, maxLength: 70 }).map(bytesToHex),
  made.map((hex) => hex.slice(0, -1)),
  made.map((hex) => hex.toUpperCase()),
)
const digest = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(...EDGES).map(word))

describe('recoverSigner, native and in JavaScript', () => {
  const native = loadNative()
  const both = (hash: Uint8Array, text: string) => [
    recoverSignerBy(native, hash, text),
    recoverSignerBy(recoverKeyInScript, hash, text),
  ]

  test('default: recovers equal signers from real signatures and from each with one changed byte', async () => {
    const arbitrary = fc.tuple(
      fc.uint8Array({ minLength: 31, maxLength: 31 }),
      digest,
      fc.nat({ max: 64 }),
      fc.integer({ min: 1, max: 255 }),
    )
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([key, hash, index, change]) => {
        const privateKey = bytesToHex(concat(Uint8Array.of(1), key))
        const text = await sign({ hash: bytesToHex(hash), privateKey, to: 'hex' })
        const [found, expected] = both(hash, text)
        expect(found).toBe(expected)
        expect(found).toMatch(/^0x[0-9a-f]{40}$/)
        const bytes = hexToBytes(text) ?? new Uint8Array()
        bytes[index] = (bytes[index] ?? 0) ^ change
        const [other, alike] = both(hash, bytesToHex(bytes))
        expect(other).toBe(alike)
        expect(other).not.toBe(found)
      }),
      { numRuns: fuzzRuns(0.1) },
    )
  })

  test('behavior: agrees on boundary values and on invalid signatures', () => {
    let signers = 0
    fc.assert(
      fc.property(digest, fc.oneof({ weight: 4, arbitrary: made }, malformed), (hash, text) => {
        const [found, expected] = both(hash, text)
        expect(found).toBe(expected)
        if (found !== undefined) signers += 1
      }),
    )
    // Both outcomes occurred.
    expect(signers).toBeGreaterThan(fuzzRuns(0.01))
  })

  test('error: refuses high `s`, and `v` other than 27 and 28', async () => {
    const hash = word(7n)
    const text = await sign({ hash: bytesToHex(hash), privateKey: bytesToHex(word(9n)), to: 'hex' })
    const s = BigInt(`0x${text.slice(66, 130)}`)
    const v = Number.parseInt(text.slice(130), 16)
    const write = (half: bigint, last: number) =>
      bytesToHex(concat(hexToBytes(text.slice(0, 66)) ?? word(0n), word(half), Uint8Array.of(last)))
    expect(both(hash, write(s, v))).toEqual([expect.any(String), expect.any(String)])
    expect(both(hash, write(ORDER - s, 55 - v))).toEqual([undefined, undefined])
    for (const last of [0, 1, 26, 29, v - 27])
      expect(both(hash, write(s, last))).toEqual([undefined, undefined])
  })
})

describe('chooseRecoverKey', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('default: uses the native implementation if installed, and loads it once', () => {
    expect(chooseRecoverKey()).not.toBe(recoverKeyInScript)
    expect(chooseRecoverKey()).toBe(chooseRecoverKey())
  })

  test.each<[string, unknown]>([
    ['no process', undefined],
    ['a process without built-in modules', {}],
    ['a process without node:module', { getBuiltinModule: () => undefined }],
    [
      'a loader that rejects the file',
      {
        getBuiltinModule: () => ({
          createRequire: () => {
            throw new Error('no file')
          },
        }),
      },
    ],
    [
      'a missing package',
      {
        getBuiltinModule: () => ({
          createRequire: () => () => {
            throw new Error('not found')
          },
        }),
      },
    ],
  ])('behavior: falls back to JavaScript with %s', (_, process) => {
    vi.stubGlobal('process', process)
    expect(loadNativeRecoverKey()).toBeNull()
  })

  test('behavior: loads no native code on import', async () => {
    const [index, recoverKey] = ['../../index.ts', './recoverKey.ts'].map(
      (path) => new URL(path, import.meta.url),
    )
    const script = `
      process.report.excludeNetwork = true
      const count = () => process.report.getReport().sharedObjects.filter((path) => path.includes('secp256k1')).length
      await import('${index}')
      const { chooseRecoverKey } = await import('${recoverKey}')
      const before = count()
      chooseRecoverKey()
      console.log(before, count())`
    const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '--eval', script]
    expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('0 1\n')
  })
})
