import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { A, B, BASE, POLYGON } from '../judge/testing/facts.ts'
import { readReceiverProofs, readRotations, receiverProofMessage, rotationMessage } from './rotation.ts'

const validFrom = '2026-06-01T00:00:00Z'
const word = { newPayTo: B, validFrom, signature: `0x${'ab'.repeat(65)}` }

describe('rotationMessage', () => {
  test('default', () => {
    const terms = {
      host: 'api.example:8443',
      network: BASE,
      oldPayTo: A.toUpperCase().replace('X', 'x'),
      newPayTo: B,
      validFrom,
    }
    expect(rotationMessage(terms)).toMatchInlineSnapshot(`
      "x402 receiver rotation
      host: api.example:8443
      network: eip155:8453
      old: 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
      new: 0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
      valid from: 2026-06-01T00:00:00Z"
    `)
  })
})

describe('readRotations', () => {
  test('default', () => {
    const [rotation, ...others] = readRotations(JSON.stringify({ version: 1, resources: [], ...word }))
    expect(others).toEqual([])
    expect(rotation).toEqual({ network: BASE, ...word, validFromAt: Date.parse(validFrom) })
  })

  test('behavior: reads a list of rotations with their networks', () => {
    const rotations = [{ ...word, network: POLYGON }, word]
    expect(readRotations(JSON.stringify({ rotations })).map(({ network }) => network)).toEqual([
      POLYGON,
      BASE,
    ])
    expect(readRotations(JSON.stringify({ rotations: Array(500).fill(word) })).length).toBeLessThanOrEqual(16)
  })

  test('error: skips malformed rotations', () => {
    const broken = [
      { ...word, newPayTo: 'x' },
      { ...word, newPayTo: `${B}0` },
      { ...word, validFrom: 'soon' },
      { ...word, validFrom: '2026-06-01' },
      { ...word, validFrom: '2026-13-45T00:00:00Z' },
      { ...word, validFrom: `${validFrom}\nold: ${B}` },
      { ...word, signature: 'ab' },
      { ...word, signature: `0x${'ab'.repeat(9000)}` },
      { ...word, network: 'base' },
      { ...word, network: `${BASE}\nnew: ${A}` },
      null,
      7,
    ]
    expect(readRotations(JSON.stringify({ rotations: broken }))).toEqual([])
    for (const text of ['', '[', 'null', '[]', '"x"', '{"rotations":{}}'])
      expect(readRotations(text)).toEqual([])
  })
})

describe('readReceiverProofs', () => {
  const proof = { payTo: A, expires: validFrom, signature: word.signature }

  test('default', () => {
    const text = JSON.stringify({ receivers: [proof, { ...proof, network: POLYGON }] })
    expect(readReceiverProofs(text)).toEqual([
      { network: BASE, ...proof, expiresAt: Date.parse(validFrom) },
      { network: POLYGON, ...proof, expiresAt: Date.parse(validFrom) },
    ])
    expect(
      receiverProofMessage({
        host: 'api.example',
        network: BASE,
        payTo: A.toUpperCase(),
        expires: validFrom,
      }),
    ).toMatchInlineSnapshot(`
      "x402 receiver of host
      host: api.example
      network: eip155:8453
      receiver: 0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
      expires: 2026-06-01T00:00:00Z"
    `)
  })

  test('error: skips malformed proofs, and all after the sixteenth; never throws', () => {
    const broken = [
      { ...proof, payTo: 'x' },
      { ...proof, expires: 'later' },
      { ...proof, signature: 7 },
      null,
    ]
    expect(readReceiverProofs(JSON.stringify({ receivers: broken }))).toEqual([])
    expect(
      readReceiverProofs(JSON.stringify({ receivers: Array(500).fill(proof) })).length,
    ).toBeLessThanOrEqual(16)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(Array.isArray(readReceiverProofs(text))).toBe(true)
        expect(Array.isArray(readReceiverProofs(`{"receivers":${text}}`))).toBe(true)
      }),
    )
  })
})
