import { readLeaf, splitLeaf } from '@touchstone402/shared/leaves'
import {
  LogError,
  type LogPolicy,
  parseLogProof,
  readLogPolicy,
  verifyLogProof,
} from '@touchstone402/transparency'
import { misconfigured } from '../errors.ts'
import type { LogCheck } from '../types.ts'

/**
 * Which log is believed, and which witnesses must have seen its checkpoints.
 * @example
 * const options: LogCheckOptions = { key: 'trust.example/log+1a2b3c4d+AZ…', witnesses: ['w.example+5e6f7a8b+BK…'], quorum: 1 }
 */
export type LogCheckOptions = LogPolicy & {
  /** Returns Unix time in ms. @default Date.now */
  now?: () => number
}

/**
 * Creates the guard's `log` option: it refuses a signing key, or a map, whose leaf no witnessed checkpoint covers.
 * Cosignatures older than 2 h do not count.
 * @throws ConfigurationError if a key cannot be parsed, or the quorum exceeds the witnesses
 * @example
 * const guard = createGuard({
 *   service: { url: 'https://trust.example' },
 *   log: createLogCheck({ key: 'trust.example/log+1a2b3c4d+AZ…', witnesses: ['w.example+5e6f7a8b+BK…'] }),
 * })
 */
export function createLogCheck({ now = Date.now, ...options }: LogCheckOptions): LogCheck {
  const policy = readPolicy(options)
  const holds = async (proof: string | undefined, expected: Readonly<Record<string, unknown>>) => {
    if (proof === undefined) return false
    try {
      const parsed = parseLogProof(proof)
      const { bytes } = splitLeaf(parsed.extra)
      const leaf = readLeaf(bytes)
      if (Object.entries(expected).some(([field, value]) => leaf[field] !== value)) return false
      await verifyLogProof(parsed, bytes, policy, now())
      return true
    } catch (error) {
      if (error instanceof LogError) return false
      throw error
    }
  }
  return {
    verifyKey: (thumbprint, proof) =>
      holds(proof, { kind: 'key', event: 'begins', use: 'decisions', key: thumbprint }),
    verifyMap: (proof, { version, sha256 }) => holds(proof, { kind: 'map', version, sha256 }),
  }
}

/** @throws ConfigurationError */
export function readPolicy(options: LogPolicy) {
  try {
    return readLogPolicy(options)
  } catch (cause) {
    throw cause instanceof LogError ? misconfigured(cause.message) : cause
  }
}
