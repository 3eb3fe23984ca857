import * as z from 'zod/mini'
import { ATOMIC_PATTERN } from '../money.ts'
import { ADDRESS_PATTERN } from '../networks.ts'

/** EVM address, in any case. */
export const AddressSchema = z.string().check(z.regex(ADDRESS_PATTERN))
/** 32-byte hash, in lower-case hex. */
export const HashSchema = z.string().check(z.regex(/^0x[0-9a-f]{64}$/))
/** Amount in the smallest unit, as decimal digits. */
export const AtomicSchema = z.string().check(z.regex(ATOMIC_PATTERN))
/** ISO 8601, UTC, milliseconds: `2026-01-31T12:00:00.000Z`. */
export const TimestampSchema = z.iso.datetime()
/** `YYYY-MM-DD`, UTC. */
export const DateSchema = z.iso.date()
/** A whole number from 0 to 100. */
export const ScoreSchema = z.int().check(z.minimum(0), z.maximum(100))
/** Whole number from 0. */
export const CountSchema = z.int().check(z.minimum(0))

/**
 * Names and descriptions of schemas in the OpenAPI document. Not zod's global registry, which all copies of zod in
 * a process share: our names would leak into the applications that install the guard.
 */
export const SCHEMA_NAMES = z.registry<{ id?: string; description: string }>()

/** Registers the name and description of a schema in the OpenAPI document. */
export function named<T extends z.ZodMiniType>(id: string, description: string, schema: T): T {
  SCHEMA_NAMES.add(schema, { id, description })
  return schema
}

/** Returns the schema of a property with the description that the OpenAPI document gives it. */
export function about<T extends z.ZodMiniType>(description: string, schema: T): T {
  const described = schema.clone()
  SCHEMA_NAMES.add(described, { description })
  return described
}

// Properties by their type, each with its description.
export const text = (description: string) => about(description, z.string())
export const texts = (description: string) => about(description, z.array(z.string()))
export const bool = (description: string) => about(description, z.boolean())
export const number = (description: string) => about(description, z.number())
export const whole = (description: string) => about(description, CountSchema)
export const counts = (description: string) => about(description, z.record(z.string(), CountSchema))
export const percent = (description: string) =>
  about(description, z.number().check(z.minimum(0), z.maximum(100)))
export const score = (description: string) => about(description, ScoreSchema)
/** Dollars, for display and sorting only. */
export const usd = (description: string) => about(description, z.number().check(z.minimum(0)))
export const atomic = (description: string) => about(description, AtomicSchema)
export const time = (description: string) => about(description, TimestampSchema)
export const day = (description: string) => about(description, DateSchema)
/** Any JSON object. */
export const json = (description: string) => about(description, z.record(z.string(), z.unknown()))

/** One of several words. */
export function oneOf<const Words extends readonly string[]>(description: string, words: Words) {
  return about(description, z.enum(words))
}

/** An object within an answer. */
export function group<Shape extends z.core.$ZodShape>(description: string, shape: Shape) {
  return about(description, z.object(shape))
}

/** A list of objects. */
export function list<Shape extends z.core.$ZodShape>(description: string, shape: Shape) {
  return about(description, z.array(z.object(shape)))
}

/** A list of items with their own schema. */
export function listOf<Item extends z.ZodMiniType>(description: string, item: Item) {
  return about(description, z.array(item))
}

/** An object with a name in the OpenAPI document. */
export function model<Shape extends z.core.$ZodShape>(id: string, description: string, shape: Shape) {
  return named(id, description, z.object(shape))
}
