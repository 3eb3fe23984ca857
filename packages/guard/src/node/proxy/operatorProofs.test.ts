import { expect, test } from 'vitest'
import { createNonce, createOperatorGate, createProofs } from './operatorProofs.ts'

const SECRET = 'secret'
const ADDRESS = 'http://127.0.0.1:4402'
const COMMAND = { method: 'POST', path: '/operator/approvals/0a/approve' }

function open(change: { secret?: string; address?: string } = {}) {
  const clock = { now: 1_000_000 }
  const { secret = SECRET, address = ADDRESS } = change
  const gate = createOperatorGate({ secret, address: () => address, now: () => clock.now })
  const client = createNonce()
  const { nonce, proof } = gate.greet(client) ?? { nonce: '', proof: '' }
  return { clock, gate, client, nonce, proof, nonces: { client, server: nonce } }
}
const proofs = createProofs(SECRET, ADDRESS)
type Opened = ReturnType<typeof open>
const headerOf = ({ client, nonce, nonces }: Opened, command = COMMAND) =>
  `${client} ${nonce} ${proofs.ofCommand(nonces, command)}`

test('default: both sides prove the secret, and so does the answer', () => {
  const opened = open()
  const { gate, nonces, proof } = opened
  expect(proof).toBe(proofs.ofGreeting(nonces))
  expect(gate.accept(headerOf(opened), COMMAND)).toEqual(nonces)
  expect(gate.prove(nonces, 200, '{}')).toBe(proofs.ofAnswer(nonces, 200, '{}'))
  expect(gate.prove(nonces, 200, '{}')).not.toBe(proofs.ofAnswer(nonces, 404, '{}'))
})

test('error: a command is accepted once, and within 30 seconds', () => {
  const opened = open()
  expect(opened.gate.accept(headerOf(opened), COMMAND)).not.toBeNull()
  expect(opened.gate.accept(headerOf(opened), COMMAND)).toBeNull()
  opened.clock.now += 30_000
  expect(opened.gate.accept(headerOf(opened), COMMAND)).toBeNull()
  const late = open()
  late.clock.now += 30_000
  expect(late.gate.accept(headerOf(late), COMMAND)).toBeNull()
})

test('error: a proof is for one method, one path, one address, and the nonces of one start', () => {
  const opened = open()
  const { gate, client, nonce, nonces } = opened
  const header = headerOf(opened)
  expect(gate.accept(header, { ...COMMAND, path: '/operator/approvals/0b/approve' })).toBeNull()
  expect(gate.accept(header, { ...COMMAND, method: 'GET' })).toBeNull()
  const elsewhere = createProofs(SECRET, 'http://127.0.0.1:9').ofCommand(nonces, COMMAND)
  expect(gate.accept(`${client} ${nonce} ${elsewhere}`, COMMAND)).toBeNull()
  expect(open().gate.accept(header, COMMAND)).toBeNull()
  expect(gate.accept(header.replace(client, createNonce()), COMMAND)).toBeNull()
  // Nothing of this has used the nonce up.
  expect(gate.accept(header, COMMAND)).not.toBeNull()
})

test('error: no proof of the proxy serves as the proof of a command', () => {
  const { gate, client, nonce, nonces, proof } = open()
  const reflected = [proof, gate.prove(nonces, 200, ''), proofs.ofPage(nonce), '', 'x'.repeat(43)]
  for (const one of reflected) expect(gate.accept(`${client} ${nonce} ${one}`, COMMAND)).toBeNull()
  // Not even over the same facts.
  const { method, path } = COMMAND
  expect(proofs.ofAnswer(nonces, method as never, path)).not.toBe(proofs.ofCommand(nonces, COMMAND))
  for (const header of ['', 'x', `${client} ${nonce}`, `${client} 1.a.b ${proof}`])
    expect(gate.accept(header, COMMAND)).toBeNull()
})

test('error: greets nobody without a nonce', () => {
  const { gate } = open()
  for (const nonce of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)} `])
    expect(gate.greet(nonce)).toBeNull()
})

test('default: the password of the page is of one start', () => {
  const [one, other] = [open(), open()]
  const password = proofs.ofPage(one.gate.start)
  expect([one.gate.isPagePassword(password), other.gate.isPagePassword(password)]).toEqual([true, false])
  expect(one.gate.isPagePassword(SECRET)).toBe(false)
})
