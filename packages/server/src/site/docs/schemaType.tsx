import type { ComponentChildren } from 'preact'
import type * as z from 'zod/mini'
import { Table } from '../components/table.tsx'

/** A JSON Schema in the OpenAPI 3.0 dialect, with the paths of schema pages as references. */
export type SchemaNode = z.core.JSONSchema.JSONSchema
type Child = SchemaNode | boolean | (SchemaNode | boolean)[] | undefined

// zod emits neither boolean schemas nor tuples; anything else is shown as "anything".
const nodeOf = (child: Child): SchemaNode => (typeof child === 'object' && !Array.isArray(child) ? child : {})

/** The type of a schema in a few words, with links to named schemas. */
export function SchemaType({ node }: { node: SchemaNode }): ComponentChildren {
  if (node.enum !== undefined) {
    return [...node.enum, ...(node.nullable === true ? [null] : [])].map(String).join(' | ')
  }
  return (
    <>
      {bareType(node)}
      {node.nullable === true && ' or null'}
    </>
  )
}

function bareType({ $ref, allOf, anyOf, type, items, additionalProperties, ...limits }: SchemaNode) {
  if ($ref !== undefined)
    return <a href={$ref}>{decodeURIComponent($ref.slice($ref.lastIndexOf('/') + 1))}</a>
  const options = allOf ?? anyOf
  if (options !== undefined) {
    return options.map((option, index) => (
      <>
        {index > 0 && ' or '}
        <SchemaType node={option} />
      </>
    ))
  }
  const inner = type === 'array' ? nodeOf(items) : type === 'object' ? additionalProperties : undefined
  if (typeof inner !== 'object') return `${type ?? 'anything'}${describeLimits(limits)}`
  return (
    <>
      {type === 'array' ? 'list of ' : 'map of '}
      <SchemaType node={inner} />
    </>
  )
}

function describeLimits({ format, minimum, maximum }: SchemaNode): string {
  // zod bounds integers by the safe range; those bounds are not worth showing.
  const max = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined
  if (minimum !== undefined && max !== undefined) return `, ${minimum} to ${max}`
  if (max !== undefined) return `, at most ${max}`
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `, ${minimum} or more`
  return format === undefined ? '' : `, ${format}`
}

/** Name of a field or parameter, with a note if there is one. */
export function FieldName({ name, note }: { name: string; note: string | false | undefined }) {
  return (
    <>
      <code>{name}</code>
      {note && <span class="muted small"> {note}</span>}
    </>
  )
}

/** The fields of an object schema; fields of nested anonymous objects are shown by path. */
export function Fields({ node }: { node: SchemaNode }) {
  const rows = listFields(node, '')
  if (rows.length === 0) return null
  return (
    <Table
      isCards
      scroll="Table of fields"
      rows={rows}
      columns={[
        {
          name: 'Field',
          cell: ({ path, isRequired }) => <FieldName name={path} note={!isRequired && 'optional'} />,
        },
        { name: 'Type', share: 'whole', class: 'muted', cell: ({ field }) => <SchemaType node={field} /> },
        { name: 'Meaning', share: 'whole', cell: ({ field }) => field.description ?? '' },
      ]}
    />
  )
}

type FieldRow = { readonly path: string; readonly field: SchemaNode; readonly isRequired: boolean }

function listFields(node: SchemaNode, prefix: string): FieldRow[] {
  return Object.entries(propertiesOf(node)).flatMap(([name, child]) => {
    const field = nodeOf(child)
    const path = `${prefix}${name}`
    const nested = [...listFields(field, `${path}.`), ...listFields(nodeOf(field.items), `${path}[].`)]
    return nested.length > 0 ? nested : [{ path, field, isRequired: node.required?.includes(name) === true }]
  })
}

/** zod writes an object whose keys come from an enum as a map with required keys. */
function propertiesOf({ properties, required = [], additionalProperties }: SchemaNode) {
  return properties ?? Object.fromEntries(required.map((name) => [name, nodeOf(additionalProperties)]))
}
