import { INTERFACE_VERSION, type QueryParameter, SCHEMA_NAMES } from '@touchstone402/shared'
import * as z from 'zod/mini'
import type { Page } from '../../http/deps.ts'
import { parameterSchema } from '../../http/openapi.ts'
import { ProblemError } from '../../http/problems.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import { type ListedOperation, listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { schemaPath } from '../paths.ts'
import { FieldName, Fields, type SchemaNode, SchemaType } from './schemaType.tsx'

/** Creates the pages of the contract: its operations, and each named schema. */
export function createDocsPages({ publicUrl, prices = {} }: PageDeps): Page[] {
  const { schemas } = z.toJSONSchema(SCHEMA_NAMES, {
    metadata: SCHEMA_NAMES,
    target: 'openapi-3.0',
    io: 'input',
    uri: schemaPath,
  })
  const overview = answerHtml(
    <Docs
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
        const node = Object.hasOwn(schemas, name) ? schemas[name] : undefined
        if (node === undefined) throw new ProblemError(404, 'not_found', 'No schema has this name.')
        return answerHtml(<SchemaPage name={name} node={node} publicUrl={publicUrl} />)
      },
    },
  ]
}

type DocsProps = {
  readonly operations: readonly ListedOperation[]
  readonly schemas: readonly string[]
  readonly publicUrl: string
}

function Docs({ operations, schemas, publicUrl }: DocsProps) {
  const show = (isPaid: boolean) =>
    operations
      .filter(({ priceUsd }) => (priceUsd !== null) === isPaid)
      .map((operation) => <OperationEntry operation={operation} publicUrl={publicUrl} />)
  return (
    <Layout
      title={`API: interface ${INTERFACE_VERSION}`}
      description="Tells whether an x402 endpoint is safe to pay, before it is paid."
      path="/docs"
      publicUrl={publicUrl}
    >
      <h1>API</h1>
      <p class="lede">
        Interface {INTERFACE_VERSION}. Every operation is a GET. The{' '}
        <a href="/openapi.json">OpenAPI document</a> describes the same for programs. An invalid query is
        answered with a problem document (RFC 9457).
      </p>
      <div class="stack">
        <Panel id="free" title="Free">
          {show(false)}
        </Panel>
        <Panel id="paid" title="Paid per call through x402, in USDC on Base">
          {show(true)}
        </Panel>
        <Panel id="schemas" title="Schemas">
          <ul class="chips">
            {schemas.map((name) => (
              <li>
                <a class="chip mono" href={schemaPath(name)}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      </div>
    </Layout>
  )
}

function OperationEntry({ operation, publicUrl }: { operation: ListedOperation; publicUrl: string }) {
  const { id, path, summary, priceUsd, query, response } = operation
  const parameters = Object.values(query)
  return (
    <article class="operation" id={id}>
      <h3>
        <span class="method">GET</span>
        <code>{path}</code>
        {priceUsd !== null && <span class="chip">{formatUsd(priceUsd)}</span>}
      </h3>
      <p>{summary}</p>
      {parameters.length > 0 && <Parameters operation={operation} />}
      <p class="small">
        <span class="muted">
          Answer: <SchemaType node={{ anyOf: response.map(refer) }} />.{' '}
        </span>
      </p>
      {priceUsd === null && parameters.every(({ required }) => !required) && (
        <Snippet label={`Call of ${path}`} code={`curl ${publicUrl}${path}`} />
      )}
    </article>
  )
}

function Parameters({ operation: { path, query } }: { operation: ListedOperation }) {
  const columns: Column<[string, QueryParameter]>[] = [
    {
      name: 'Query',
      cell: ([name, { required }]) => <FieldName name={name} note={required && 'required'} />,
    },
    {
      name: 'Type',
      cell: ([, parameter]) => (
        <>
          <SchemaType node={parameterSchema(parameter)} />
          {'default' in parameter && `, default ${parameter.default}`}
        </>
      ),
    },
    { name: 'Meaning', cell: ([, { description }]) => description },
  ]
  return <Table class="rows" scroll={`Query of ${path}`} rows={Object.entries(query)} columns={columns} />
}

function refer(schema: z.ZodMiniType): SchemaNode {
  return { $ref: schemaPath(SCHEMA_NAMES.get(schema)?.id ?? '') }
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
