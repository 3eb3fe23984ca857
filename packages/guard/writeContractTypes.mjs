// Writes the types of the service's contract from its OpenAPI document. Part of the build.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import openapiTS, { astToString, tsUnion, UNDEFINED } from 'openapi-typescript'
import ts from 'typescript'

const source = new URL('../../docs/openapi.json', import.meta.url)
const target = new URL('generated/openapi.ts', import.meta.url)

// The client has no methods for pages and forms, nor for files of the map and the log.
const document = JSON.parse(await readFile(source, 'utf8'))
const paths = Object.entries(document.paths).filter(([, { get }]) =>
  get?.tags.every((tag) => tag !== 'page' && tag !== 'files'),
)

const ast = await openapiTS(
  { ...document, paths: Object.fromEntries(paths) },
  {
    exportType: true,
    transformProperty(property) {
      if (property.questionToken === undefined) return property
      const { modifiers, name, questionToken, type } = property
      // Parsed answers type absent fields as undefined, which exactOptionalPropertyTypes distinguishes.
      const optional = tsUnion([type, UNDEFINED])
      return ts.factory.updatePropertySignature(property, modifiers, name, questionToken, optional)
    },
  },
)
await mkdir(new URL('.', target), { recursive: true })
await writeFile(target, astToString(ast))
