import * as z from 'zod/mini'
import { ATOMIC_PATTERN } from './money.ts'

/** An EVM address, any case: 0x and 40 hex digits. */
export const ADDRESS_PATTERN = /^0x[0-9a-fA-F]{40}$/

export const AddressSchema = z.string().check(z.regex(ADDRESS_PATTERN))
export const HashSchema = z.string().check(z.regex(/^0x[0-9a-f]{64}$/))
export const AtomicSchema = z.string().check(z.regex(ATOMIC_PATTERN))
/** ISO 8601, UTC, milliseconds: `2026-01-31T12:00:00.000Z`. */
export const TimestampSchema = z.iso.datetime()
/** `YYYY-MM-DD`, UTC. */
export const DateSchema = z.iso.date()
/** A whole number from 0 to 100. */
export const ScoreSchema = z.int().check(z.minimum(0), z.maximum(100))
export const CountSchema = z.int().check(z.minimum(0))
/** Dollars, for people and for sorting; never for arithmetic. */
export const UsdSchema = z.number().check(z.minimum(0))
export const PercentSchema = z.number().check(z.minimum(0), z.maximum(100))

/**
 * The names and descriptions that schemas have in the OpenAPI document. A registry of our own: zod's global one is
 * shared by every copy of zod in a process, and whoever installs the guard would find our names in it.
 */
export const SCHEMA_NAMES = z.registry<{ id: string; description: string }>()

/** Gives a schema its name in the OpenAPI document. */
export function named<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  SCHEMA_NAMES.add(schema, { id, description })
  return schema
}
