import { expect, test } from 'vitest'
import { toStrictSchema } from './strictSchema.ts'

test('default', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', nullable: true } }, required: ['a'] }
  expect(toStrictSchema(schema)).toEqual(schema)
})

test('behavior: a reference that may be null says so where it counts', () => {
  const $ref = '#/components/schemas/Receiver'
  expect(toStrictSchema({ items: { nullable: true, allOf: [{ $ref }] } })).toEqual({
    items: { anyOf: [{ $ref }, { type: 'object', nullable: true, enum: [null] }] },
  })
})

test('behavior: an enum that may be null lists null', () => {
  expect(toStrictSchema({ type: 'string', nullable: true, enum: ['new'] })).toEqual({
    type: 'string',
    nullable: true,
    enum: ['new', null],
  })
})

test('behavior: required keys of a map are properties', () => {
  const count = { type: 'integer' }
  expect(toStrictSchema({ type: 'object', additionalProperties: count, required: ['low', 'high'] })).toEqual({
    type: 'object',
    properties: { low: count, high: count },
    required: ['low', 'high'],
  })
})
