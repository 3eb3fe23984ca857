import type { Observation } from '../../facts/facts.ts'
import type { PackedMemory } from '../../facts/hostDocument.ts'

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

/** Values of alike objects, their names once. */
type Table = { readonly names: readonly string[]; readonly rows: readonly (readonly unknown[])[] }

/** Packs a value of plain JSON in which looks, offers and receivers recur. Equal values give equal results. */
export function pack(value: object): PackedMemory {
  const shared: unknown[] = []
  const places = new Map<string, number>()
  /** Results for objects that were packed before: most values recur as the same object. */
  const known = new Map<object, unknown>()
  const share = (inner: object): unknown => {
    const before = known.get(inner)
    if (before !== undefined) return before
    const packed = packObject(inner)
    const text = JSON.stringify(packed)
    const place = places.get(text) ?? shared.length
    const result = text.length < MIN_LENGTH ? packed : { $: place }
    if (result !== packed && place === shared.length) {
      shared.push(packed)
      places.set(text, place)
    }
    known.set(inner, result)
    return result
  }
  const packField = (name: string, inner: unknown): unknown => {
    // As JSON does, so that what is packed is what is read back.
    if (typeof inner === 'number') return Number.isFinite(inner) ? inner : null
    if (!isObject(inner)) return inner
    return SHARED.has(name) || isLook(inner) ? share(inner) : packObject(inner)
  }
  const packObject = (inner: object): unknown => {
    if (Array.isArray(inner)) {
      const items = inner.map((item: unknown) => packField('', item))
      return toTable(items) ?? items
    }
    return mapFields(isLook(inner) ? toPacked(inner) : inner, packField)
  }
  return { root: packObject(value), shared }
}

/** Unpacks what `pack` made. Shared parts become the same objects again. */
export function unpack(packed: PackedMemory): unknown {
  const shared: unknown[] = []
  const open = (inner: unknown): unknown => {
    if (!isObject(inner)) return inner
    if (Array.isArray(inner)) return inner.map(open)
    if (isReference(inner)) return shared[inner.$]
    if (isTable(inner)) return fromTable(inner).map(open)
    const opened = mapFields(inner, (_, nested) => open(nested))
    return isPackedLook(opened) ? toLook(opened) : opened
  }
  for (const entry of packed.shared) shared.push(open(entry))
  return open(packed.root)
}

function mapFields(value: object, map: (name: string, inner: unknown) => unknown): object {
  const mapped: Record<string, unknown> = {}
  // Much faster than by entries, and nothing here has inherited fields.
  for (const name in value) {
    const inner: unknown = value[name as keyof typeof value]
    if (inner !== undefined) mapped[name] = map(name, inner)
  }
  return mapped
}

/** Lists the values of at least two objects with the same fields; null for any others. */
function toTable(items: readonly unknown[]): Table | null {
  const [first] = items
  if (items.length < 2 || !isObject(first) || Array.isArray(first) || isReference(first)) return null
  const names = Object.keys(first)
  const rows: unknown[][] = []
  for (const item of items) {
    if (!isObject(item) || Array.isArray(item)) return null
    const own = Object.keys(item)
    if (own.length !== names.length || own.some((name, place) => name !== names[place])) return null
    rows.push(Object.values(item))
  }
  return { names, rows }
}

const fromTable = ({ names, rows }: Table): object[] =>
  rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])))

function toPacked({ id, at, latencyMs, client, purpose, ...shape }: Observation): PackedLook {
  return { look: [id, at, latencyMs, client, purpose], shape }
}

function toLook({ look, shape }: PackedLook): Observation {
  const [id, at, latencyMs, client, purpose] = look
  return { ...shape, id, at, latencyMs, client, purpose }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isLook = (value: object): value is Observation =>
  'kind' in value && value.kind === 'observation' && 'id' in value
const isPackedLook = (value: object): value is PackedLook => 'look' in value && 'shape' in value
const isReference = (value: object): value is Reference => '$' in value
const isTable = (value: object): value is Table => 'names' in value && 'rows' in value
