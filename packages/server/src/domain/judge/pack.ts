import type { Observation } from '../facts/facts.ts'
import type { PackedMemory } from '../facts/hostDocument.ts'

/** Fields whose values often recur: they are kept once, and named by their place. */
const SHARED: ReadonlySet<string> = new Set([
  'terms',
  'receivers',
  'offers',
  'shape',
  'first',
  'last',
  'paid',
  'main',
])
/** Length of JSON from which a value is kept once. */
const MIN_LENGTH = 16

/** A look apart from what differs from one to the next. */
type Shape = Omit<Observation, 'id' | 'at' | 'latencyMs' | 'client' | 'purpose'>
type Row = Pick<Observation, 'id' | 'at' | 'latencyMs' | 'client' | 'purpose'>
type PackedLook = {
  readonly look: readonly [Row['id'], Row['at'], Row['latencyMs'], Row['client'], Row['purpose']]
  readonly shape: Shape
}

/** Place of a value in the list of shared ones. */
type Reference = { readonly $: number }

/** Packs a value of plain JSON in which looks, offers and receivers recur. Equal values give equal results. */
export function pack(value: object): PackedMemory {
  const places = new Map<string, number>()
  const shared: unknown[] = []
  const share = (inner: unknown): unknown => {
    const text = write(inner)
    if (text.length < MIN_LENGTH) return JSON.parse(text)
    const known = places.get(text)
    if (known !== undefined) return { $: known }
    const place = shared.push(JSON.parse(text)) - 1
    places.set(text, place)
    return { $: place }
  }
  const replace = (key: string, inner: unknown): unknown => {
    if (isReference(inner)) return inner
    if (isLook(inner)) return share(toPacked(inner))
    return SHARED.has(key) && typeof inner === 'object' && inner !== null ? share(inner) : inner
  }
  // Wrapped, so that a shared value is not replaced by itself without end.
  const write = (inner: unknown): string =>
    JSON.stringify(inner, (key, nested: unknown) => (key === '' ? nested : replace(key, nested)))
  return { root: JSON.parse(write(value)), shared }
}

/** Unpacks what `pack` made. Shared parts become the same objects again. */
export function unpack(packed: PackedMemory): unknown {
  const shared: unknown[] = []
  const revive = (_key: string, inner: unknown): unknown => {
    if (isReference(inner)) return shared[inner.$]
    return isPackedLook(inner) ? toLook(inner) : inner
  }
  const read = (inner: unknown): unknown => JSON.parse(JSON.stringify(inner), revive)
  for (const entry of packed.shared) shared.push(read(entry))
  return read(packed.root)
}

function toPacked({ id, at, latencyMs, client, purpose, ...shape }: Observation): PackedLook {
  return { look: [id, at, latencyMs, client, purpose], shape }
}

function toLook({ look, shape }: PackedLook): Observation {
  const [id, at, latencyMs, client, purpose] = look
  return { ...shape, id, at, latencyMs, client, purpose }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isLook = (value: unknown): value is Observation =>
  isObject(value) && 'kind' in value && value.kind === 'observation' && 'id' in value
const isPackedLook = (value: unknown): value is PackedLook =>
  isObject(value) && 'look' in value && 'shape' in value
const isReference = (value: unknown): value is Reference => isObject(value) && '$' in value
