import type { OPERATIONS, OperationId, QueryOf } from '@touchstone402/shared'
import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'
import type { OperationAnswers, OperationQueries } from './contractTypes.ts'

type Table = typeof OPERATIONS
type Given<Id extends OperationId> = QueryOf<Table[Id]['query']>
type Answered<Id extends OperationId> = z.infer<Table[Id]['response'][number]>

test('behavior: the types generated from the OpenAPI document are those of the contract', () => {
  expectTypeOf<keyof OperationQueries>().toEqualTypeOf<OperationId>()
  expectTypeOf<OperationAnswers>().toExtend<{ [Id in OperationId]: Answered<Id> }>()
  expectTypeOf<{ [Id in OperationId]: Answered<Id> }>().toExtend<OperationAnswers>()
  // A parsed query, defaults filled in, is a valid query.
  expectTypeOf<{ [Id in OperationId]: Given<Id> }>().toExtend<OperationQueries>()
})
