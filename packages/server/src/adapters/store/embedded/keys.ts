import type { Time } from '../../../domain/facts/facts.ts'

/**
 * A key of the embedded store: bytes, each a character below 256, so that keys compare as strings. The first byte names
 * the kind. Texts are escaped and end with a zero byte, which no escaped text holds, so that no text leads into the keys
 * of another. Numbers are big-endian. `#` is the number of a subject of looks; `order` is a time and a sequence number.
 *
 * | key                                      | value                                               |
 * |------------------------------------------|-----------------------------------------------------|
 * | `f`                                      | format of the store                                 |
 * | `n`                                      | next subject and sequence number                    |
 * | `N`                                      | time of the newest document                         |
 * | `m` endpoint; `M` host                   | subject: its looks, or control probes; `looks.ts`   |
 * | `h` # hash of a shape                    | number of the shape                                 |
 * | `s` # number of a shape                  | the shape                                           |
 * | `l` # time, sequence                     | a look                                              |
 * | `c` # id                                 | a look past the retention that an incident cites    |
 * | `b` endpoint                             | what dropped looks carry                            |
 * | `y` endpoint, date                       | a day that has ended                                |
 * | `e` endpoint, kind, order                | listing, purchase, change or incident               |
 * | `P` host, order                          | purchase                                            |
 * | `a` host, order                          | announcement                                        |
 * | `B` host                                 | nothing: the host has announced something           |
 * | `k` host                                 | newest control probe                                |
 * | `v` receiver, order                      | chain record                                        |
 * | `V` receiver, order                      | nothing: the record has an answer of the oracle     |
 * | `W` receiver                             | which of its records are read                       |
 * | `w`                                      | number of receivers                                 |
 * | `r` date                                 | report                                              |
 * | `F` feed, id                             | position of a change or incident, see `feeds.ts`    |
 * | `g` feed, scope, order                   | its endpoint                                        |
 * | `G` feed, scope, host, order             | its endpoint                                        |
 * | `E` feed, scope, endpoint, order         | its endpoint                                        |
 * | `T` feed, scope, day                     | number of records of the day                        |
 * | `d` endpoint                             | document                                            |
 * | `H` host                                 | summary                                             |
 * | `i` host                                 | what the host adds to totals and indexes            |
 * | `x` time, host                           | nothing: a verdict of the host expires then         |
 * | `t` name                                 | a total                                             |
 * | `R` index, key                           | nothing: an entry of a ranked index                 |
 * | `q` list, key                            | when it is due                                      |
 * | `Q` list, time, key                      | nothing                                             |
 * | `D` list, key                            | when it was due before it was taken                 |
 * | `C` claim                                | the claim without its answer                        |
 * | `A` claim                                | its answer                                          |
 * | `u` claim                                | its state, while unsettled                          |
 * | `z` time, claim                          | nothing: the time of the answer                     |
 * | `o` kind, id                            | document with an expiry                             |
 * | `O` time, kind, id                      | key of the document that expires then               |
 * | `L` kind, number or text                 | the log, see `embeddedLog.ts`                       |
 */
export type Key = string

/** A range of keys in ascending order; `gte` is included, `lt` is not. */
export type Range = { readonly gte: Key; readonly lt: Key }

const TIME_BYTES = 6

/** Largest time that keys hold, in ms. */
export const MAX_TIME = 2 ** 48 - 1

/** Joins parts to a key. */
export function keyOf(kind: string, ...parts: readonly string[]): Key {
  return kind + parts.join('')
}

/** A text as a part of a key. The order of texts is kept: that of their UTF-8. */
export function text(value: string): string {
  return `${openText(value)}\0`
}

/** A text without its end, for the last part of a key or the start of texts. */
export function openText(value: string): string {
  if (PLAIN.test(value)) return value
  const escaped = value.replace(/[\p{Cc}\p{Surrogate}]/gu, (unit) => {
    if (unit === '\0') return `${ESCAPE}1`
    if (unit === ESCAPE) return `${ESCAPE}2`
    return unit < '\ud800' ? unit : `${ESCAPE}3${unit.charCodeAt(0).toString(16)}`
  })
  return Buffer.from(escaped).toString('latin1')
}

/** Texts whose UTF-8 is themselves and in which nothing is escaped, as almost all are. */
const PLAIN = /^[ -~]*$/

/** Reads back an `openText`. */
export function readText(part: string): string {
  const [start = '', ...escaped] = Buffer.from(part, 'latin1').toString().split(ESCAPE)
  const rest = escaped.map((text) => {
    if (text.startsWith('1')) return `\0${text.slice(1)}`
    if (text.startsWith('2')) return ESCAPE + text.slice(1)
    return String.fromCharCode(Number.parseInt(text.slice(1, 5), 16)) + text.slice(5)
  })
  return start + rest.join('')
}

const ESCAPE = '\x01'

/** A whole number as bytes of a key. */
export function uint(value: number, bytes: number): string {
  let part = ''
  let rest = value
  for (let index = 0; index < bytes; index++) {
    part = String.fromCharCode(rest % 256) + part
    rest = Math.floor(rest / 256)
  }
  return part
}

/** Reads a number of `bytes` bytes from a key. */
export function readUint(key: Key, offset: number, bytes = TIME_BYTES): number {
  let value = 0
  for (let index = 0; index < bytes; index++) value = value * 256 + key.charCodeAt(offset + index)
  return value
}

/** A time as a part of a key; times outside of 0 to `MAX_TIME` become the nearest end. */
export function time(at: Time): string {
  return uint(Math.min(Math.max(Math.floor(at), 0), MAX_TIME), TIME_BYTES)
}

/** The keys that begin with a prefix. */
export function within(prefix: Key): Range {
  return { gte: prefix, lt: next(prefix) }
}

/** The keys that begin with a prefix and go on with a time from `from` to `to`, both inclusive. */
export function between(prefix: Key, from: Time, to: Time): Range {
  const gte = prefix + time(Math.ceil(from))
  if (to < from || to < 0) return { gte, lt: gte }
  return { gte, lt: to >= MAX_TIME ? next(prefix) : prefix + time(Math.floor(to) + 1) }
}

/** The first key behind all keys that begin with a prefix; no key of the store begins with the byte 255. */
function next(prefix: Key): Key {
  const kept = prefix.replace(/\xff+$/, '')
  return kept.slice(0, -1) + String.fromCharCode(kept.charCodeAt(kept.length - 1) + 1)
}
