import { BASE_USDC, encodeCursor, MAX_CURSOR_LENGTH, type QueryParameter } from '@touchstone402/shared'
import type * as z from 'zod/mini'

/** Returns a valid value of a query parameter. */
export function parameterExample(parameter: QueryParameter): string | number {
  switch (parameter.kind) {
    case 'url':
      return parameter.example
    case 'integer':
    case 'choice':
      return parameter.default
    case 'flag':
      return '1'
    case 'address':
      return BASE_USDC
    case 'decimal':
      return '1000'
    case 'package':
    case 'packages':
      return 'weather-mcp'
    case 'cursor':
      return encodeCursor({ at: Date.parse('2026-01-31T12:00:00Z'), id: 'inc_1' })
    case 'time':
      return '2026-01-31T12:00:00Z'
  }
}

/** Returns the JSON Schema of a query parameter, in the OpenAPI 3.0 dialect. */
export function parameterSchema(parameter: QueryParameter): z.core.JSONSchema.JSONSchema {
  switch (parameter.kind) {
    case 'url':
      return { type: 'string', format: 'uri', maxLength: 2048 }
    case 'integer':
      return {
        type: 'integer',
        minimum: parameter.min,
        // A clamped parameter may exceed its maximum.
        ...(!parameter.clamp && { maximum: parameter.max }),
        default: parameter.default,
      }
    case 'flag':
      return { type: 'string', enum: ['0', '1'] }
    case 'address':
      return { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
    case 'decimal':
      return { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$' }
    case 'package':
      return { type: 'string', maxLength: 214 }
    case 'packages':
      return { type: 'string', maxLength: 10_750 }
    case 'cursor':
      return { type: 'string', pattern: '^[A-Za-z0-9_-]+$', maxLength: MAX_CURSOR_LENGTH }
    case 'time':
      return { type: 'string', maxLength: 30 }
    case 'choice':
      return { type: 'string', enum: [...parameter.choices], default: parameter.default }
  }
}
