import { generateKeyPairSync, sign } from 'node:crypto'
import { type MapHeader, mapKeyName, readMapHeader, writeMapHeader } from '@touchstone402/shared/map'
import { ED25519_TYPE, keyIdOf, type NoteSigner, parseNote, signNote } from '@touchstone402/transparency'
import type { MapFault, MapService } from '../../support/mapService.ts'

/** An answer of a lying or broken service, mirror or network in place of version 3. */
export type Attack = (service: MapService, files: Files) => Promise<MapFault> | MapFault
/** The published files: the headers and bodies of versions 2 and 3. */
export type Files = { readonly headers: readonly Uint8Array[]; readonly bodies: readonly Uint8Array[] }

const HOUR = 3_600_000

const text = (note: Uint8Array | undefined) => parseNote(note ?? '').text
const headerOf = (files: Files): MapHeader => readMapHeader(text(files.headers[1]))
const resigned = async (service: MapService, header: MapHeader, by?: NoteSigner) =>
  signNote(writeMapHeader(header), [by ?? service.signer.noteSigner(mapKeyName(service.url))])
const latest =
  (note: string | Uint8Array): MapFault =>
  (name) =>
    name === 'latest' ? note : undefined
/** Serves a body of any version in place of the newest, and no diff. */
const body =
  (bytes: Uint8Array | number): MapFault =>
  (name) =>
    name === 'latest' ? undefined : name.includes('-') ? 404 : bytes
const flip = (bytes: Uint8Array, at: number) => {
  const copy = bytes.slice()
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

function otherKey(name: string): NoteSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  return {
    name,
    keyId: keyIdOf(name, ED25519_TYPE, raw),
    sign: async (bytes) => sign(null, bytes, privateKey),
  }
}

/** Changes of the signed header; the real key signs them, so that each check shows by itself. */
const signedChanges: Record<string, (header: MapHeader, files: Files) => Partial<MapHeader>> = {
  'signed rollback by two versions': () => ({ version: 1 }),
  'another map of the version in use': (header) => ({ version: header.version - 1 }),
  'header already expired': (header) => ({
    issuedAt: header.issuedAt - 9 * HOUR,
    expiresAt: header.expiresAt - 9 * HOUR,
  }),
  'header that lasts a year': (header) => ({ expiresAt: header.expiresAt + 9000 * HOUR }),
  'header that expires before it begins': (header) => ({ expiresAt: header.issuedAt - 1 }),
  'header dated tomorrow': (header) => ({
    issuedAt: header.issuedAt + 30 * HOUR,
    expiresAt: header.expiresAt + 30 * HOUR,
  }),
  'header of another service': () => ({ issuer: 'https://other.example' }),
  'fewer entries than the body has': (header) => ({ entries: header.entries - 1 }),
  'longer than the body': (header) => ({ bytes: header.bytes + 1 }),
  'shorter than the body': (header) => ({ bytes: header.bytes - 1 }),
  'hash of the version before': (_, files) => ({ sha256: readMapHeader(text(files.headers[0])).sha256 }),
  'more bytes than a map may have': () => ({ bytes: 999_999_999 }),
}

/** Every attack by name. Each must leave version 2 in use. */
export const ATTACKS: Record<string, Attack> = {
  'rollback to the version before': async (service, files) => {
    const old = { ...readMapHeader(text(files.headers[0])), version: 1 }
    return latest(await resigned(service, old))
  },
  'body cut in half': (_, { bodies }) => body((bodies[1] ?? new Uint8Array()).slice(0, 400)),
  'body without its last byte': (_, { bodies }) => body((bodies[1] ?? new Uint8Array()).slice(0, -1)),
  'body of the version before': (_, { bodies }) => body(bodies[0] ?? 404),
  'one bit of a key changed': (_, { bodies }) => body(flip(bodies[1] ?? new Uint8Array(), 1000)),
  'one bit at the end changed': (_, { bodies }) =>
    body(flip(bodies[1] ?? new Uint8Array(), (bodies[1]?.length ?? 1) - 1)),
  'body with a byte more': (_, { bodies }) => body(Buffer.concat([bodies[1] ?? Buffer.of(), Buffer.of(0)])),
  'body of 64 MB': () => body(new Uint8Array(64 * 1024 * 1024)),
  'body not there yet': () => body(404),
  'body behind a redirect': () => body(302),
  'body answered by 500': () => body(500),
  'empty body': () => body(new Uint8Array(1)),
  'wrong diff and wrong body':
    (_, { bodies }) =>
    (name) =>
      name === 'latest' ? undefined : flip(bodies[1] ?? new Uint8Array(), 7),
  'diff of zeros and no body': () => (name) =>
    name === 'latest' ? undefined : name.includes('-') ? new Uint8Array(5000) : 404,
  'diff that claims a billion entries and no body': () => (name) =>
    name === 'latest'
      ? undefined
      : name.includes('-')
        ? Buffer.concat([Buffer.from('TSD2'), Buffer.alloc(4), Buffer.alloc(24, 0xff), Buffer.alloc(64)])
        : 404,
  'header of another key under the right name': async (service, files) =>
    latest(await resigned(service, headerOf(files), otherKey(mapKeyName(service.url)))),
  'header of the right key under another name': async (service, files) =>
    latest(await resigned(service, headerOf(files), service.signer.noteSigner('elsewhere/map'))),
  'header whose signature has a bit changed': (_, { headers }) =>
    latest(
      Buffer.from(
        Buffer.from(headers[1] ?? [])
          .toString()
          .replace(/.(.{6})=\n$/, (line) => (line[0] === 'A' ? 'B' : 'A') + line.slice(1)),
      ),
    ),
  'header whose text has a digit changed': (_, { headers }) =>
    latest(
      Buffer.from(headers[1] ?? [])
        .toString()
        .replace(/entries \d/, 'entries 9'),
    ),
  'header without a signature': (_, { headers }) => latest(text(headers[1])),
  'signed text that is no header': async (service) =>
    latest(await signNote('hello\n', [service.signer.noteSigner(mapKeyName(service.url))])),
  'header as HTML': () => latest('<!doctype html><title>map</title>'),
  'header of 10 MB': () => latest('x'.repeat(10 * 1024 * 1024)),
  'header behind a redirect': () => (name) => (name === 'latest' ? 302 : undefined),
  'header answered by 500': () => (name) => (name === 'latest' ? 500 : undefined),
  ...Object.fromEntries(
    Object.entries(signedChanges).map(([name, change]): [string, Attack] => [
      name,
      async (service, files) => {
        const header = headerOf(files)
        const note = await resigned(service, { ...header, ...change(header, files) })
        return (asked, good) =>
          asked === 'latest' ? note : asked.includes('-') ? 404 : (good ?? files.bodies[1])
      },
    ]),
  ),
}
