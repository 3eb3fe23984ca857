import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A self-signed certificate and its private key, PEM. */
export type SelfSigned = { readonly cert: string; readonly key: string }

/**
 * Creates a certificate for local TLS servers in tests and benchmarks, valid for one day.
 * @param names DNS names, wildcards included
 */
export function makeSelfSigned(names: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const now = Date.now()
  const name = sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from(names[0] ?? 'local')))))
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const alternatives = sequence(...names.map((text) => tagged(0x82, Buffer.from(text))))
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(toTime(now - 3_600_000), toTime(now + 86_400_000)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    tagged(0xa3, sequence(sequence(oid('551d11'), tagged(0x04, alternatives)))),
  )
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').replace(/.{1,64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

/** Encodes one DER element: tag, length, content. Source: ITU-T X.690 section 8.1. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

function toTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tagged(0x18, Buffer.from(digits))
}
