import { ADDRESS_PATTERN, type QueryError, sameAddress } from '@touchstone402/shared'
import { describeBadSignature, findSigner } from '../../../audit/isSignedBy.ts'
import { isSignature, isTime, type Rotation, rotationMessage } from '../../../domain/facts/rotation.ts'
import { toTimestamp } from '../../../domain/facts/times.ts'
import { cleanText } from '../../text.ts'
import type { RotationCase } from './readCase.ts'

/** What is wrong with a field of a submitted announcement. */
export type RotationFault = Pick<QueryError, 'parameter' | 'message'> & {
  readonly code:
    | 'missing'
    | 'malformed'
    | 'wrong_host'
    | 'wrong_network'
    | 'wrong_receiver'
    | 'too_late'
    | 'other_key'
    | 'other_text'
}

/** A verified announcement as it is to be published, or what is wrong with it. */
export type CheckedRotation =
  | { readonly ok: true; readonly entry: Omit<Rotation, 'validFromAt'> }
  | { readonly ok: false; readonly faults: readonly RotationFault[] }

const LABELS = ['host', 'network', 'old', 'new', 'valid from'] as const
const TITLE = 'x402 receiver rotation'

const refuse = (parameter: string, code: RotationFault['code'], message: string): CheckedRotation => ({
  ok: false,
  faults: [{ parameter, code, message }],
})

/** Checks the text that a seller signed and its signature, by the rules that the audit applies to published ones. */
export async function checkText(
  rotation: RotationCase,
  text: string,
  signature: string,
): Promise<CheckedRotation> {
  const lines = text.split('\n')
  const values = LABELS.map((label, index) => {
    const line = lines[index + 1] ?? ''
    return line.startsWith(`${label}: `) ? line.slice(label.length + 2) : undefined
  })
  const [host, network, oldPayTo, newPayTo, validFrom] = values
  if (lines[0] !== TITLE) return refuse('text', 'malformed', `the first line must be "${TITLE}"`)
  const missing = LABELS[values.indexOf(undefined)]
  if (missing !== undefined) return refuse('text', 'malformed', `expected the line "${missing}: …"`)
  if (lines.length !== LABELS.length + 1) {
    return refuse('text', 'malformed', `expected ${LABELS.length + 1} lines, and no line feed at the end`)
  }
  const terms = { host, network, oldPayTo, newPayTo, validFrom } as Terms
  const fault = findFault(rotation, terms)
  if (fault !== undefined) return { ok: false, faults: [{ parameter: 'text', ...fault }] }
  return checkSignature(rotation, terms, signature)
}

type Terms = Record<'host' | 'network' | 'oldPayTo' | 'newPayTo' | 'validFrom', string>
type Fault = Omit<RotationFault, 'parameter'>

function findFault(expected: RotationCase, terms: Terms): Fault | undefined {
  const { host, network, oldPayTo, newPayTo, validFrom } = terms
  const named = (value: string) => cleanText(value, 120)
  if (host !== expected.host) {
    const message = `the text names the host ${named(host)}; this endpoint is at ${expected.host}`
    return { code: 'wrong_host', message }
  }
  if (network !== expected.network) {
    const message = `the text names the network ${named(network)}; the receiver is on ${expected.network}`
    return { code: 'wrong_network', message }
  }
  if (!sameAddress(oldPayTo, expected.oldPayTo)) {
    const message = `the text names ${named(oldPayTo)} as the old receiver; it is ${expected.oldPayTo}`
    return { code: 'wrong_receiver', message }
  }
  if (expected.newPayTo !== null && !sameAddress(newPayTo, expected.newPayTo)) {
    const message = `the text names ${named(newPayTo)} as the new receiver; the endpoint asks for ${expected.newPayTo}`
    return { code: 'wrong_receiver', message }
  }
  if (!ADDRESS_PATTERN.test(newPayTo) || sameAddress(newPayTo, oldPayTo)) {
    return { code: 'wrong_receiver', message: 'expected another address as the new receiver' }
  }
  if (oldPayTo !== oldPayTo.toLowerCase() || newPayTo !== newPayTo.toLowerCase()) {
    return { code: 'malformed', message: 'sign the addresses in lower case' }
  }
  if (!isTime(validFrom)) {
    return { code: 'malformed', message: 'valid from: expected a time in UTC such as 2026-01-31T12:00:00Z' }
  }
  if (expected.seenAt !== null && Date.parse(validFrom) > expected.seenAt) {
    const message = `valid from is ${validFrom}; the new receiver was first seen at ${toTimestamp(expected.seenAt)}, and valid from must not be later`
    return { code: 'too_late', message }
  }
  return undefined
}

async function checkSignature(
  { oldPayTo }: RotationCase,
  terms: Terms,
  signature: string,
): Promise<CheckedRotation> {
  const refuseSignature = (code: RotationFault['code'], message: string) => refuse('signature', code, message)
  if (signature === '') return refuseSignature('missing', 'Enter the signature.')
  if (!isSignature(signature)) return refuseSignature('malformed', 'expected 0x and hexadecimal digits')
  const message = rotationMessage(terms)
  const signer = await findSigner(message, signature)
  if (signer === undefined) {
    return refuseSignature(
      'malformed',
      describeBadSignature(signature, 'a contract announces by paying the new receiver beforehand'),
    )
  }
  const { network, newPayTo, validFrom } = terms
  if (sameAddress(signer, oldPayTo)) return { ok: true, entry: { network, newPayTo, validFrom, signature } }
  if (sameAddress(signer, newPayTo)) {
    return refuseSignature('other_key', 'the new receiver signed this text; the old one must sign it')
  }
  const ended = await findSigner(`${message}\n`, signature)
  if (ended !== undefined && sameAddress(ended, oldPayTo)) {
    return refuseSignature(
      'other_text',
      'the old receiver signed the text with a line feed at the end; sign it without',
    )
  }
  return refuseSignature(
    'other_key',
    `for this text the signature is by ${signer}, not by the old receiver ${oldPayTo}: another key signed, or another text was signed`,
  )
}
