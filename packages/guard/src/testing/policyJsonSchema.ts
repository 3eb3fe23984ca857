import { ADDRESS_PATTERN } from '@touchstone402/shared'
import { type Field, NETWORK_PATTERN, readField } from '../decide/fields.ts'
import { POLICY_FIELDS } from '../decide/policySchema.ts'
import { readPolicyDocs } from './policyDocs.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Builds the JSON Schema of a policy file. */
export function createPolicyJsonSchema(): JsonSchema {
  const { properties, ...schema } = schemaOf(POLICY_FIELDS, '')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Policy of the Touchstone guard',
    ...schema,
    properties: { $schema: { type: 'string' }, ...(properties as JsonSchema) },
  }
}

const DOCS = readPolicyDocs()

/** @param path of the field, for the comments of the fields in it */
function schemaOf(field: Field, path: string): JsonSchema {
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
      return { ...schemaOf(field.of, path), type: [schemaOf(field.of, path).type, 'null'] }
    case 'list':
      return {
        type: 'array',
        items: schemaOf(field.of, path),
        ...(field.least !== undefined && { minItems: field.least }),
      }
    case 'map':
      return {
        type: 'object',
        propertyNames: schemaOf(field.keys, path),
        additionalProperties: schemaOf(field.of, path),
      }
    case 'optional':
      return schemaOf(field.of, path)
    case 'object': {
      const fields = Object.entries(field.fields)
      const required = fields.flatMap(([name, inner]) => ('default' in inner ? [] : [name]))
      return {
        type: 'object',
        properties: Object.fromEntries(
          fields.map(([name, inner]) => [
            name,
            {
              description: DOCS.get(`${path}${name}`)?.meaning,
              ...schemaOf(inner, `${path}${name}.`),
              ...(inner.default !== undefined && {
                default: readField(inner, inner.default, name, () => {}),
              }),
            },
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
