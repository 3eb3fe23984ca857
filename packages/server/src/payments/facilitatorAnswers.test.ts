import { expect, test } from 'vitest'
import { readSettlement, readSupported, readVerification } from './facilitatorAnswers.ts'

const answer = (status: number, text: string, mediaType = 'application/json') => ({ status, mediaType, text })
const causeOf = (status: number, text: string, mediaType?: string) => {
  try {
    readVerification(answer(status, text, mediaType))
    return 'none'
  } catch (error) {
    return String(error)
  }
}

test('default: a cause has the status, the media type and the first 80 characters', () => {
  expect(
    causeOf(502, `<html>\n<h1>Bad   gateway</h1>${'x'.repeat(20)} ${'y '.repeat(50)}`, 'text/html'),
  ).toBe(
    `Error: Facilitator answered 502 (text/html): <html> <h1>Bad gateway</h1>${'x'.repeat(20)} ${'y '.repeat(16)}…`,
  )
  expect(causeOf(200, '', '')).toBe('Error: Facilitator answered 200 (no media type): no body')
  expect(causeOf(200, '{"ok":1}')).toBe('Error: Facilitator answered 200 (application/json): {"ok":1}')
})

test('behavior: a cause names the reason of a denial, wherever the body has it', () => {
  const body = { success: false, transaction: '', payer: '0x1', errorReason: 'insufficient_funds' }
  const settlement = readSettlement(answer(200, JSON.stringify(body)))
  expect(settlement).toMatchObject({ kind: 'denied', reason: 'insufficient_funds' })
  expect('cause' in settlement && String(settlement.cause)).toContain(
    '200 (application/json), reason insufficient_funds: {',
  )
})

test.each([
  ['a signature', JSON.stringify({ signature: `0x${'1c'.repeat(65)}` })],
  ['a key', `invalid api key sk_live_${'a1B2'.repeat(10)}`],
  ['a token', `Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIxMjM0'.repeat(3)}.c2lnbmF0dXJl`],
  ['a URL', 'at https://user:S3CRET@pay.example/v1?key=S3CRET'],
  ['a secret that begins before the end of the quote', `${'no '.repeat(24)}${'7f'.repeat(64)}`],
])('error: a cause repeats no secret: %s', (_, text) => {
  const cause = causeOf(401, text)
  expect(cause).toContain('Facilitator answered 401')
  expect(cause).not.toMatch(/1c1c|a1B2|eyJ|S3CRET|7f7f/)
})

test('error: control characters and lines of an answer stay out of the log', () => {
  expect(causeOf(500, 'a\u0000b\u001b[31m\r\nlevel=info\u202e')).toBe(
    'Error: Facilitator answered 500 (application/json): a b [31m level=info',
  )
})

test('error: an answer that is none says so, at each step', () => {
  for (const read of [readVerification, readSettlement, readSupported]) {
    expect(() => read(answer(200, 'not json'))).toThrow('Facilitator answered 200')
    expect(() => read(answer(200, '[]'))).toThrow('Facilitator answered 200 (application/json): []')
  }
  expect(() => readSupported(answer(500, '{"kinds":[]}'))).toThrow('Facilitator answered 500')
})
