import { SCHEMA_NAMES } from '@touchstone402/shared'
import * as z from 'zod/mini'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { schemaPath } from '../paths.ts'
import { DocsPage } from './docsPage.tsx'
import { Fields, type SchemaNode } from './schemaType.tsx'

/** Creates the pages of the contract: its operations, and each named schema. */
export function createDocsPages({ publicUrl, prices = {} }: PageDeps): Page[] {
  const { schemas } = z.toJSONSchema(SCHEMA_NAMES, {
    metadata: SCHEMA_NAMES,
    target: 'openapi-3.0',
    io: 'input',
    uri: schemaPath,
  })
  const describedSchema = (name: string) =>
    Object.hasOwn(schemas, name) ? (schemas[name] as SchemaNode) : undefined
  const overview = answerHtml(
    <DocsPage
      operations={listOperations({ prices })}
      schemas={Object.keys(schemas).sort()}
      publicUrl={publicUrl}
    />,
  )
  return [
    { path: '/docs', handler: () => overview },
    {
      path: '/docs/schemas/:name',
      handler: ({ params: { name = '' } }) => {
        const node = describedSchema(name)
        if (node === undefined) throw new ProblemError(404, 'not_found', 'No schema has this name.')
        return answerHtml(<SchemaPage name={name} node={node} publicUrl={publicUrl} />)
      },
    },
  ]
}

function SchemaPage({ name, node, publicUrl }: { name: string; node: SchemaNode; publicUrl: string }) {
  return (
    <Layout
      title={`${name}: schema`}
      description={node.description ?? name}
      path={schemaPath(name)}
      publicUrl={publicUrl}
    >
      <p class="small">
        <a href="/docs">API</a> / <a href="/docs#schemas">Schemas</a>
      </p>
      <h1>{name}</h1>
      <p class="lede">{node.description}</p>
      <section class="panel" aria-label="Fields">
        <Fields node={node} />
      </section>
    </Layout>
  )
}
