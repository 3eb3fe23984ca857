import { ADDRESS_PATTERN } from '@touchstone402/shared'
import { type Field, NETWORK_PATTERN } from '../decide/fields.ts'
import { POLICY_FIELDS } from '../decide/policySchema.ts'
import { POLICY_DOCS } from './policyDocs.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Builds the JSON Schema of a policy file. */
export function createPolicyJsonSchema(): JsonSchema {
  const { properties, ...schema } = schemaOf(POLICY_FIELDS)
  const docs: Readonly<Record<string, string>> = POLICY_DOCS
  const described = Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => [
    name,
    { description: docs[name], ...property },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Policy of the Touchstone guard',
    ...schema,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(described) },
  }
}

function schemaOf(field: Field): JsonSchema {
  switch (field.kind) {
    case 'usd':
      return { type: 'string' }
    case 'network':
      return { type: 'string', pattern: NETWORK_PATTERN.source }
    case 'address':
      return { type: 'string', pattern: ADDRESS_PATTERN.source }
    case 'host':
      // Wider than what is enforced, which no pattern states.
      return { type: 'string', pattern: '^(\\*\\.)?[a-z0-9_.:[\\]-]+$' }
    case 'text':
      return { type: 'string', minLength: 1 }
    case 'flag':
      return { type: 'boolean' }
    case 'count':
      return { type: 'integer', minimum: field.from, maximum: field.to }
    case 'oneOf':
      return { type: 'string', enum: field.values }
    case 'nullable':
      return { ...schemaOf(field.of), type: [schemaOf(field.of).type, 'null'] }
    case 'list':
      return {
        type: 'array',
        items: schemaOf(field.of),
        ...(field.least !== undefined && { minItems: field.least }),
      }
    case 'map':
      return { type: 'object', propertyNames: schemaOf(field.keys), additionalProperties: schemaOf(field.of) }
    case 'optional':
      return schemaOf(field.of)
    case 'object': {
      const { fields, defaults = {} } = field
      const isRequired = (name: string) => !(name in defaults) && fields[name]?.kind !== 'optional'
      const required = Object.keys(fields).filter(isRequired)
      return {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(fields).map(([name, inner]) => [
            name,
            { ...schemaOf(inner), ...(name in defaults && { default: defaults[name as never] }) },
          ]),
        ),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      }
    }
    default:
      throw new Error(`A policy has no field of kind ${field.kind}.`)
  }
}
