import { INTERFACE_VERSION, type QueryParameter, SCHEMA_NAMES } from '@touchstone402/shared'
import type * as z from 'zod/mini'
import { OTHER_PATHS, type OtherPath } from '../../http/otherPaths.ts'
import { parameterSchema } from '../../http/schemas/parameterSchema.ts'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Snippet } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatUsd } from '../format.ts'
import type { ListedOperation } from '../operations.ts'
import { schemaPath } from '../paths.ts'
import { Forms } from './forms.tsx'
import { Contents, Errors, HowToPay } from './guide.tsx'
import { clientCall, curlCall } from './samples.ts'
import { FieldName, type SchemaNode, SchemaType } from './schemaType.tsx'

const OTHER_COLUMNS: Column<[string, OtherPath]>[] = [
  { name: 'Path', cell: ([path]) => <code>{path}</code> },
  { name: 'Types', share: 'whole', cell: ([, { types }]) => types.join(', ') },
  { name: 'What it is', share: 'whole', cell: ([, { summary }]) => summary },
]

type DocsProps = {
  readonly operations: readonly ListedOperation[]
  readonly schemas: readonly string[]
  readonly publicUrl: string
}

/** The page of the whole interface. */
export function DocsPage({ operations, schemas, publicUrl }: DocsProps) {
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
        Interface {INTERFACE_VERSION}. Every operation is a GET, and <a href="#forms">forms</a> are a POST.
        The <a href="/openapi.json">OpenAPI document</a> describes the same for programs.
      </p>
      <div class="stack">
        <Contents operations={operations} />
        <HowToPay publicUrl={publicUrl} />
        <Panel id="free" title="Free">
          {show(false)}
        </Panel>
        <Panel id="paid" title="Paid per call through x402, in USDC on Base">
          {show(true)}
        </Panel>
        <Errors />
        <Panel id="other" title="Pages and feeds">
          <Table
            isCards
            scroll="Pages and feeds"
            rows={Object.entries(OTHER_PATHS)}
            columns={OTHER_COLUMNS}
          />
        </Panel>
        <Forms />
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
      <div class="calls">
        <Snippet label={`Call of ${path} by curl`} code={curlCall(operation, publicUrl)} />
        <Snippet label={`Call of ${path} in TypeScript`} code={clientCall(operation)} />
      </div>
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
      share: 'whole',
      cell: ([, parameter]) => (
        <>
          <SchemaType node={parameterSchema(parameter)} />
          {'default' in parameter && `, default ${parameter.default}`}
        </>
      ),
    },
    { name: 'Meaning', share: 'whole', cell: ([, { description }]) => description },
  ]
  return <Table isCards scroll={`Query of ${path}`} rows={Object.entries(query)} columns={columns} />
}

function refer(schema: z.ZodMiniType): SchemaNode {
  return { $ref: schemaPath(SCHEMA_NAMES.get(schema)?.id ?? '') }
}
