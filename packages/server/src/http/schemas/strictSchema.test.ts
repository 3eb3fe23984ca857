import { expect, test } from 'vitest'
import { toStrictSchema } from './strictSchema.ts'

test('default', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', nullable: true } }, required: ['a'] }
  expect(toStrictSchema(schema)).toEqual(schema)
})

test('behavior: a nullable reference becomes a union with null', () => {
  const $ref = '#/components/schemas/Receiver'
  expect(toStrictSchema({ items: { nullable: true, allOf: [{ $ref }] } })).toEqual({
    items: { anyOf: [{ $ref }, { type: 'object', nullable: true, enum: [null] }] },
  })
})

test('behavior: a nullable enum lists null', () => {
  expect(toStrictSchema({ type: 'string', nullable: true, enum: ['new'] })).toEqual({
    type: 'string',
    nullable: true,
    enum: ['new', null],
  })
})

test('behavior: required keys of a map become properties', () => {
  const count = { type: 'integer' }
  expect(toStrictSchema({ type: 'object', additionalProperties: count, required: ['low', 'high'] })).toEqual({
    type: 'object',
    properties: { low: count, high: count },
    required: ['low', 'high'],
  })
})
