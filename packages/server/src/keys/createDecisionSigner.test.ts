import { createPublicKey, verify as verifyBytes } from 'node:crypto'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ed25519 } from '@noble/curves/ed25519.js'
import { DECISION_TYPE, type SignedDecision } from '@touchstone402/shared'
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from 'jose'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { useScratchFolder } from '../store/testing/scratch.ts'
import { createDecisionSigner } from './createDecisionSigner.ts'

const decision: SignedDecision = {
  iss: 'https://touchstone.example',
  endpoint: 'https://api.example/zürich',
  verdict: 'safe',
  score: 91,
  riskLevel: 'clean',
  flags: [],
  terms: [],
  receiverStability: 'stable',
  probes: 12,
  checkedAt: '2026-06-01T12:00:00.000Z',
  expiresAt: '2026-06-03T12:00:00.000Z',
  seq: 1_780_000_000_000,
  scoreVersion: '1.0.0',
}

const scratch = useScratchFolder()
let directory = ''
beforeEach(() => {
  directory = scratch()
})

const keyFile = () => join(directory, 'signing-keys.json')
const bytes = (text: unknown) => Buffer.from(String(text), 'base64url')

test('default: signs a decision as a JWS whose header names the type and the key', async () => {
  const signer = await createDecisionSigner({ directory })
  const [header, payload] = (await signer.sign(decision)).split('.')
  const { x, kid } = signer.jwks().keys[0] ?? {}
  expect(JSON.parse(bytes(payload).toString())).toEqual(decision)
  expect(JSON.parse(bytes(header).toString())).toEqual({ alg: 'EdDSA', kid, typ: DECISION_TYPE })
  expect(kid).toBe(await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: String(x) }))
})

test('behavior: three other implementations accept the signature and refuse a changed payload', async () => {
  const signer = await createDecisionSigner({ directory })
  const jws = await signer.sign(decision)
  const jwks = signer.jwks()
  const [header, payload, signature] = jws.split('.')
  const content = Buffer.from(`${header}.${payload}`)
  const changed = Buffer.from(`${header}.${payload?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`)

  const publicKey = createPublicKey({ key: { ...jwks.keys[0] }, format: 'jwk' })
  expect(verifyBytes(null, content, publicKey, bytes(signature))).toBe(true)
  expect(verifyBytes(null, changed, publicKey, bytes(signature))).toBe(false)
  const x = bytes(jwks.keys[0]?.x)
  expect(ed25519.verify(bytes(signature), content, x)).toBe(true)
  expect(ed25519.verify(bytes(signature), changed, x)).toBe(false)
  const keySet = createLocalJWKSet(JSON.parse(JSON.stringify(jwks)))
  const { payload: read } = await jwtVerify(jws, keySet, { typ: DECISION_TYPE, algorithms: ['EdDSA'] })
  expect(read).toEqual(decision)
})

test('behavior: keeps its key across restarts in a file of mode 600 and publishes no private part', async () => {
  const first = await createDecisionSigner({ directory })
  const second = await createDecisionSigner({ directory })
  expect(second.jwks()).toEqual(first.jwks())
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600)
  expect(first.jwks().keys.map((key) => Object.keys(key).sort())).toEqual([
    ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
  ])
})

test('behavior: publishes a former key until its last decision expires, also after a restart', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1) })
  onTestFinished(() => void vi.useRealTimers())
  const signer = await createDecisionSigner({ directory })
  const before = await signer.sign(decision)
  const formerKid = signer.jwks().keys[0]?.kid
  await signer.rotate()
  expect(signer.jwks().keys[0]?.kid).not.toBe(formerKid)
  const restarted = await createDecisionSigner({ directory })
  expect(restarted.jwks()).toEqual(signer.jwks())
  await jwtVerify(before, createLocalJWKSet(JSON.parse(JSON.stringify(restarted.jwks()))))
  await jwtVerify(
    await restarted.sign(decision),
    createLocalJWKSet(JSON.parse(JSON.stringify(restarted.jwks()))),
  )
  vi.setSystemTime(Date.now() + 48 * HOUR)
  expect(restarted.jwks().keys.map((key) => key.kid)).toContain(formerKid)
  vi.setSystemTime(Date.now() + HOUR)
  expect(restarted.jwks().keys.map((key) => key.kid)).not.toContain(formerKid)
})

test('behavior: two concurrent rotations keep both former keys published', async () => {
  const signer = await createDecisionSigner({ directory })
  await Promise.all([signer.rotate(), signer.rotate()])
  expect(new Set(signer.jwks().keys.map((key) => key.kid)).size).toBe(3)
})

test('behavior: signers that start at once in an empty folder share one key', async () => {
  const signers = await Promise.all(Array.from({ length: 8 }, () => createDecisionSigner({ directory })))
  expect(new Set(signers.map((signer) => signer.jwks().keys[0]?.kid)).size).toBe(1)
  expect(await readdir(directory)).toEqual(['signing-keys.json'])
})

test('error: refuses a key file that other users can read', async () => {
  await createDecisionSigner({ directory })
  await chmod(keyFile(), 0o644)
  await expect(createDecisionSigner({ directory })).rejects.toThrow('set its mode to 600')
})

test('error: refuses a damaged key file without changing or quoting it', async () => {
  await createDecisionSigner({ directory })
  const text = await readFile(keyFile(), 'utf8')
  const { current } = JSON.parse(text)
  const other = `${current.x.startsWith('A') ? 'B' : 'A'}${current.x.slice(1)}`
  const damages = [text.slice(0, -5), text.replace('"d":"', '"d":"!'), text.replace(current.x, other), '']
  for (const damaged of damages) {
    await writeFile(keyFile(), damaged)
    const start = createDecisionSigner({ directory })
    await expect(start).rejects.toThrow('is damaged')
    await expect(start).rejects.not.toThrow(current.d.slice(0, 10))
    expect(await readFile(keyFile(), 'utf8')).toBe(damaged)
  }
})
