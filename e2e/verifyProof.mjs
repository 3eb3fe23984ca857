// Verifies a tlog-proof file offline, with Node's own crypto and nothing of this project.
// Usage: node e2e/verifyProof.mjs FILE LOG_KEY [WITNESS_KEY...]
// Source: C2SP tlog-proof, tlog-checkpoint, tlog-cosignature, signed-note; RFC 6962, section 2.1.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [file, ...keys] = process.argv.slice(2)
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const fail = (reason) => {
  console.error(`refused: ${reason}`)
  process.exit(1)
}

const text = readFileSync(file, 'utf8')
const cut = text.indexOf('\n\n')
const head = text.slice(0, cut).split('\n')
const note = text.slice(cut + 2)
if (head.shift() !== 'c2sp.org/tlog-proof@v1') fail('not a tlog-proof')
const extra = head[0].startsWith('extra ')
  ? Buffer.from(head.shift().slice(6), 'base64').toString()
  : fail('no leaf')
const index = BigInt(head.shift().replace(/^index /, ''))
const path = head.map((line) => Buffer.from(line, 'base64'))
const [leaf, opening] = extra.split('\n')

const end = note.indexOf('\n\n')
const body = note.slice(0, end + 1)
const [origin, size, root] = body.split('\n')
const signatures = note
  .slice(end + 2)
  .trimEnd()
  .split('\n')
  .map((line) => line.match(/^— (\S+) (\S+)$/))
  .map(([, name, value]) => ({ name, bytes: Buffer.from(value, 'base64') }))

/** Whether a key of the form name+id+base64 signed the checkpoint. */
function isSignedBy(key) {
  const [, name, id, encoded] = key.match(/^([^+]+)\+([0-9a-f]{8})\+(.+)$/)
  const material = Buffer.from(encoded, 'base64')
  const wanted = sha256(Buffer.from(`${name}\n`), material).subarray(0, 4)
  if (wanted.toString('hex') !== id) fail(`the key ${name} is damaged`)
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), material.subarray(1)])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return signatures.some((line) => {
    if (line.name !== name || !line.bytes.subarray(0, 4).equals(wanted)) return false
    const signature = line.bytes.subarray(4)
    if (material[0] === 1) return verify(null, Buffer.from(body), publicKey, signature)
    const time = signature.readBigUInt64BE(0)
    const message = Buffer.from(`cosignature/v1\ntime ${time}\n${body}`)
    return verify(null, message, publicKey, signature.subarray(8))
  })
}

/** Computes the root of `count` leaves from one of them and its path, whose last hash is the root's child. */
function rootFrom(at, count, hash, siblings) {
  if (count === 1n) return siblings.length === 0 ? hash : fail('the path is too long')
  if (siblings.length === 0) fail('the path is too short')
  let split = 1n
  while (split * 2n < count) split *= 2n
  const rest = siblings.slice(0, -1)
  const sibling = siblings.at(-1)
  return at < split
    ? sha256(Buffer.from([1]), rootFrom(at, split, hash, rest), sibling)
    : sha256(Buffer.from([1]), sibling, rootFrom(at - split, count - split, hash, rest))
}

const [logKey, ...witnesses] = keys
if (logKey === undefined || !logKey.startsWith(`${origin}+`)) fail('the checkpoint is of another log')
if (!isSignedBy(logKey)) fail('the log did not sign the checkpoint')
for (const witness of witnesses) if (!isSignedBy(witness)) fail(`${witness.split('+')[0]} did not cosign`)
if (index >= BigInt(size)) fail('the leaf is behind the checkpoint')
const leafHash = sha256(Buffer.from([0]), Buffer.from(leaf))
if (rootFrom(index, BigInt(size), leafHash, path).toString('base64') !== root)
  fail('the leaf is not in the log')
const { named } = JSON.parse(leaf)
if (opening !== undefined && sha256(Buffer.from(opening)).toString('base64') !== named)
  fail('another opening')
console.log(leaf)
if (opening !== undefined) console.log(opening)
