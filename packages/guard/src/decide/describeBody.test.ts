import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { describeBody } from './describeBody.ts'
import { escapeText } from './escapeText.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('default: counts and hashes all bytes, and shows a short body whole', async () => {
  const body = bytesOf('{"item":"pencil"}')
  const sha256 = createHash('sha256').update(body).digest('hex')
  expect(await describeBody(body)).toEqual({ bytes: 17, sha256, head: '{"item":"pencil"}', tail: '' })
})

test('behavior: shows the first 200 and the last 100 characters, whole ones', async () => {
  const { head, tail } = await describeBody(bytesOf('😀'.repeat(200) + 'x'.repeat(1000) + '🐚'.repeat(100)))
  expect([head, tail]).toEqual(['😀'.repeat(200), '🐚'.repeat(100)])
  const short = await describeBody(bytesOf('a'.repeat(200) + 'b'.repeat(7)))
  expect([short.head, short.tail]).toEqual(['a'.repeat(200), 'b'.repeat(7)])
})

test('behavior: escapes what a terminal or a page would hide or run', async () => {
  const { head } = await describeBody(
    bytesOf('a\n\t\r\u001b[2J\u009b\u202e\u2066\u200b\u2028\ufe0f\u{e0041}\u0000é日'),
  )
  expect(head).toBe(
    'a\\n\\t\\r\\u{1b}[2J\\u{9b}\\u{202e}\\u{2066}\\u{200b}\\u{2028}\\u{fe0f}\\u{e0041}\\u{0}é日',
  )
  expect(escapeText('\ud800')).toBe('\\u{d800}')
})

test('behavior: shows bytes that are no text, and a byte order mark', async () => {
  const { head, bytes } = await describeBody(Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x41))
  expect([head, bytes]).toEqual(['\\u{feff}\ufffdA', 5])
})

test('default: an empty body has no text', async () => {
  expect(await describeBody(new Uint8Array())).toMatchObject({ bytes: 0, head: '', tail: '' })
})
