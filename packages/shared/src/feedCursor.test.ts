import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBase64Json } from './base64Json.ts'
import { decodeCursor, encodeCursor, MAX_CURSOR_LENGTH } from './feedCursor.ts'

test('default: a cursor decodes to the place it was made of, and needs no escaping in a URL', () => {
  const id = fc
    .string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
    .filter((text) => text.length <= 200)
  fc.assert(
    fc.property(fc.maxSafeInteger(), id, (at, text) => {
      const cursor = encodeCursor({ at, id: text })
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(cursor.length).toBeLessThanOrEqual(MAX_CURSOR_LENGTH)
      expect(decodeCursor(cursor)).toEqual({ at, id: text })
    }),
  )
})

test('error: refuses what is no cursor', () => {
  const forged = [null, [], {}, { at: 1 }, { at: '1', id: 'a' }, { at: 1.5, id: 'a' }, { at: 1, id: '' }]
  const texts = ['', 'x', '%', 'a b', 'AAAA', 'a'.repeat(MAX_CURSOR_LENGTH + 1)]
  for (const bad of [...texts, ...forged.map(encodeBase64Json)])
    expect([bad, decodeCursor(bad)]).toEqual([bad, undefined])
  expect(decodeCursor(encodeBase64Json({ at: 1, id: 'a'.repeat(201) }))).toBeUndefined()
})
