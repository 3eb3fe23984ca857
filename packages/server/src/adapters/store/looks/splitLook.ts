import type { Observation, Time } from '../../../domain/facts/facts.ts'

/** The fields in which a look differs from its neighbours. Fields that are missing here are in the shape. */
export type Look = {
  readonly id: string
  readonly at: Time
  readonly client: string
  /** Whole milliseconds; null without an answer. */
  readonly latencyMs?: number | null
  /** `resourceAsked.at`. */
  readonly askedAt?: Time
  /** Endpoint of a control probe: a random path. */
  readonly endpoint?: string
}

/** The fields that neighbouring looks share, which the looks of one read refer to. */
export type Shape = Omit<Observation, keyof Look>

/** Largest latency of a {@link Look}; larger ones stay in the shape. */
const MAX_LATENCY = 0xffff_ffff

/**
 * Splits an observation into its shape, JSON that neighbouring looks share, and what differs. Fields in another order give
 * another shape, which costs its bytes and nothing else.
 */
export function splitLook(observation: Observation): { readonly shape: string; readonly look: Look } {
  const { id, at, client, latencyMs, resourceAsked, endpoint, ...rest } = observation
  const isCounted = latencyMs === null || isWhole(latencyMs, MAX_LATENCY)
  const { at: askedAt, ...asked } = resourceAsked ?? {}
  const isAsked = askedAt !== undefined && isWhole(askedAt)
  const isControl = observation.purpose === 'control'
  const shape = JSON.stringify({
    ...rest,
    ...(!isControl && { endpoint }),
    ...(!isCounted && { latencyMs }),
    ...(resourceAsked !== undefined && {
      resourceAsked: isAsked ? asked : resourceAsked,
    }),
  })
  const look = {
    id,
    at,
    client,
    ...(isCounted && { latencyMs }),
    ...(isAsked && { askedAt }),
    ...(isControl && { endpoint }),
  }
  return { shape, look }
}

/** Reads a shape that {@link splitLook} made. */
export const readShape = (text: string): Shape => JSON.parse(text)

/** Puts an observation together again: deeply equal to the one that was split. It shares the parts of its shape. */
export function joinLook(shape: Shape, look: Look): Observation {
  const { askedAt, ...own } = look
  const observation = { ...shape, ...own } as Observation
  if (askedAt === undefined) return observation
  const asked = { at: askedAt, ...shape.resourceAsked } as NonNullable<Observation['resourceAsked']>
  return { ...observation, resourceAsked: asked }
}

function isWhole(value: number, max = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(value) && !Object.is(value, -0) && value >= 0 && value <= max
}
