import type { OPERATIONS, OperationId, QueryOf } from '@touchstone402/shared'
import { expect, expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'
import type { OperationAnswers, OperationQueries } from './contractTypes.ts'
import { writeTypes } from './testing/writeTypes.ts'

type Table = typeof OPERATIONS
type Given<Id extends OperationId> = QueryOf<Table[Id]['query']>
type Answered<Id extends OperationId> = z.infer<Table[Id]['response'][number]>

// The checked-in file is written by `npx vitest run contractTypes.test.ts -u`.
test('default', async () => {
  await expect(writeTypes()).toMatchFileSnapshot('./contractTypes.ts')
})

test('behavior: the types are those of the contract', () => {
  expectTypeOf<keyof OperationQueries>().toEqualTypeOf<OperationId>()
  expectTypeOf<OperationAnswers>().toExtend<{ [Id in OperationId]: Answered<Id> }>()
  expectTypeOf<{ [Id in OperationId]: Answered<Id> }>().toExtend<OperationAnswers>()
  // What a valid query holds, defaults filled in, may be given as it is.
  expectTypeOf<{ [Id in OperationId]: Given<Id> }>().toExtend<OperationQueries>()
})
