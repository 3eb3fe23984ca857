import type { ComponentChildren } from 'preact'
import { nameOfRef, type SchemaNode } from './readOpenApi.ts'

/** A schema's type in a few words, with links to the schemas that have names. */
export function SchemaType({ node }: { node: SchemaNode }): ComponentChildren {
  return (
    <>
      {bareType(node)}
      {node.nullable === true && node.enum?.includes(null) !== true && ' or null'}
    </>
  )
}

function bareType(node: SchemaNode): ComponentChildren {
  if (node.$ref !== undefined) {
    const name = nameOfRef(node.$ref)
    return <a href={schemaPath(name)}>{name}</a>
  }
  if (node.anyOf !== undefined) {
    return node.anyOf.map((option, index) => (
      <>
        {index > 0 && ' or '}
        <SchemaType node={option} />
      </>
    ))
  }
  if (node.enum !== undefined) return node.enum.map((value) => `${value}`).join(' | ')
  if (node.type === 'array') {
    return (
      <>
        list of <SchemaType node={node.items ?? {}} />
      </>
    )
  }
  if (node.type === 'object' && typeof node.additionalProperties === 'object') {
    return (
      <>
        map of <SchemaType node={node.additionalProperties} />
      </>
    )
  }
  return `${node.type ?? 'anything'}${limits(node)}`
}

function limits({ format, minimum, maximum }: SchemaNode): string {
  // Whole numbers are bounded by what a double holds exactly, which tells a reader nothing.
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined
  if (minimum !== undefined && most !== undefined) return `, ${minimum} to ${most}`
  if (most !== undefined) return `, at most ${most}`
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `, ${minimum} or more`
  return format === undefined ? '' : `, ${format}`
}

/** The fields of an object schema; those of nested nameless objects by their path. */
export function Fields({ node }: { node: SchemaNode }) {
  const rows = listFields(node, '')
  if (rows.length === 0) return null
  return (
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, field, isRequired }) => (
          <tr>
            <th scope="row">
              <code>{path}</code>
              {!isRequired && <span class="muted small"> optional</span>}
            </th>
            <td>
              <SchemaType node={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type FieldRow = { readonly path: string; readonly field: SchemaNode; readonly isRequired: boolean }

function listFields(node: SchemaNode, prefix: string): FieldRow[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = node.required?.includes(name) === true
    const path = `${prefix}${name}`
    if (field.properties !== undefined) return listFields(field, `${path}.`)
    if (field.items?.properties !== undefined) return listFields(field.items, `${path}[].`)
    return [{ path, field, isRequired }]
  })
}

/** Where the page of a named schema is. */
export function schemaPath(name: string): string {
  return `/docs/schemas/${encodeURIComponent(name)}`
}
