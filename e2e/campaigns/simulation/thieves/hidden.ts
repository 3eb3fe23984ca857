import { deflateSync, gzipSync } from 'node:zlib'
import { LAX } from '../lax.ts'
import { bad, type Kind, stolen, type Wrong } from '../parts.ts'
import type { Entry, SellerResponse, Written } from '../world/types.ts'
import { writeChallenge } from '../world/wire.ts'

const UNREAD: Wrong = {
  verdict: 'caution',
  flags: ['terms_hidden', 'terms_disagree', 'terms_unproven', 'payto_changed'],
}

const SPELLINGS = Object.keys(LAX)

/** An entry in front that strict decoders skip, to the thief. */
const LAX_ENTRIES = bad('lax-entry', SPELLINGS.length, ({ index, day, host, entry }) => {
  const spell = LAX[SPELLINGS[index % SPELLINGS.length] ?? ''] ?? ((one: Written) => one)
  const { payTo } = stolen(host, entry)
  return {
    wire: 'v2',
    from: index % 2 === 0 ? 0 : day,
    change: {
      writes: (accepts) => [...accepts.slice(0, 1).map((one) => spell({ ...one, payTo })), ...accepts],
    },
    wrong: UNREAD,
  }
})

const TOO_LONG = 300 * 1024
/** A frame of zstd with one raw block. Source: RFC 8878, section 3.1.1. */
function zstd(text: string): Buffer {
  const content = Buffer.from(text)
  const block = (content.length << 3) | 1
  const size = Buffer.alloc(4)
  size.writeUInt32LE(content.length)
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, ...size]
  return Buffer.concat([
    Buffer.from([...head, block & 255, (block >> 8) & 255, (block >> 16) & 255]),
    content,
  ])
}

/** How a body is kept from a reader that is not a stock client. */
export const HIDES: readonly ((text: string) => Pick<SellerResponse, 'headers' | 'body' | 'decoded'>)[] = [
  (text) => ({ headers: {}, body: `${' '.repeat(TOO_LONG)}${text}`, decoded: text }),
  (text) => ({ headers: { 'content-encoding': 'gzip, gzip' }, body: gzipSync(gzipSync(text)) }),
  (text) => ({ headers: { 'content-encoding': 'zstd' }, body: zstd(text), decoded: text }),
  (text) => ({
    headers: { 'content-encoding': 'deflate, gzip' },
    body: gzipSync(deflateSync(text)),
    decoded: text,
  }),
]

/** Returns a v1 challenge for the body. */
export const bodyOf = (host: string, entry: Entry): string =>
  writeChallenge({
    wire: 'v1',
    url: `https://${host}/api`,
    method: 'GET',
    entries: [entry],
    bodyEntries: [entry],
    resource: `https://${host}/api`,
    hidesOutput: false,
    extensions: {},
    writes: (accepts) => accepts,
  }).body

/** A v1 body for the thief beside an honest v2 header: too long, or under codings that few readers know. */
const HIDDEN_BODIES = bad('hidden-body', 4, ({ index, day, host, entry }) => {
  const hidden = HIDES[index % HIDES.length]?.(bodyOf(host, stolen(host, entry)))
  return {
    wire: 'v2',
    from: index % 2 === 0 ? 0 : day,
    change: {
      sends: (answer) => ({ ...answer, ...hidden, headers: { ...answer.headers, ...hidden?.headers } }),
    },
    wrong: UNREAD,
  }
})

/** Hosts that hide another challenge beside the one that strict decoders read. */
export const HIDDEN: readonly Kind[] = [LAX_ENTRIES, HIDDEN_BODIES]
